import type { WebSocket } from "ws";
import { z } from "zod";
import { AGENT_METHODS, AGENT_STREAMS, CANCEL_METHOD } from "../../contract/agent.ts";
import { OutworkError, toProblem } from "../../errors.ts";
import { CLOSE_NORMAL, type Message, messages, send } from "../../wire/messages.ts";
import type { Handlers } from "./methods.ts";

/** JSON-RPC's code for a failure of the method itself; what it was is in `data.problem`. */
const METHOD_FAILED = -32603;
/** Close code for a stream that failed after it had begun. @see RFC 6455 §7.4.1 */
const CLOSE_INTERNAL = 1011;

const Request = z.object({ id: z.int(), method: z.string(), params: z.unknown() });
type Request = z.infer<typeof Request>;

/** Serves one connection of the service until it closes. Requests on it may overlap. */
export async function serveConnection(
  socket: WebSocket,
  handlers: Handlers,
  log: (error: unknown) => void,
): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  const incoming = messages(socket);
  const calls = new Map<number, AbortController>();
  try {
    for await (const message of incoming) {
      const request = Request.parse(JSON.parse(message.data.toString("utf8")));
      if (request.method in AGENT_STREAMS) {
        await serveStream(socket, request, incoming, handlers, gone.signal);
        return;
      }
      if (request.method === CANCEL_METHOD) calls.get(request.id)?.abort();
      else void serveCall(socket, request, handlers, calls, log);
    }
  } catch (error) {
    if (!gone.signal.aborted) log(error);
  } finally {
    for (const running of calls.values()) running.abort();
    socket.close(CLOSE_NORMAL);
  }
}

async function call(request: Request, { methods }: Handlers, signal: AbortSignal) {
  const { method, params } = request;
  if (!isKey(method, AGENT_METHODS)) throw noSuchMethod(method);
  const handler = methods[method] as (params: unknown, signal: AbortSignal) => unknown;
  return handler(parse(AGENT_METHODS[method].params, params), signal);
}

async function serveCall(
  socket: WebSocket,
  request: Request,
  handlers: Handlers,
  calls: Map<number, AbortController>,
  log: (error: unknown) => void,
): Promise<void> {
  const { id } = request;
  const running = new AbortController();
  calls.set(id, running);
  const reply = await call(request, handlers, running.signal).then(
    (result) => ({ id, result }),
    (error: unknown) => (running.signal.aborted ? null : failure(id, error, log)),
  );
  calls.delete(id);
  if (reply !== null && socket.readyState === socket.OPEN)
    await send(socket, JSON.stringify(reply));
}

function failure(id: number, error: unknown, log: (error: unknown) => void) {
  if (!(error instanceof OutworkError)) log(error);
  const problem = toProblem(error);
  return { id, error: { code: METHOD_FAILED, message: problem.detail, data: { problem } } };
}

async function serveStream(
  socket: WebSocket,
  request: Request,
  incoming: AsyncIterable<Message>,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (request.method === "outwork/archive/put") {
      const result = await takeIn(request, incoming, handlers, signal);
      await send(socket, JSON.stringify({ id: request.id, result }));
    } else await sendOut(socket, request, handlers, signal);
  } catch (error) {
    if (signal.aborted) return;
    await send(socket, JSON.stringify(failure(request.id, error, () => {})));
    socket.close(CLOSE_INTERNAL);
  }
}

async function takeIn(
  { method, params }: Request,
  incoming: AsyncIterable<Message>,
  { sinks }: Handlers,
  signal: AbortSignal,
) {
  if (method !== "outwork/archive/put") throw noSuchMethod(method);
  return sinks[method](parse(AGENT_STREAMS[method].params, params), untilEmpty(incoming), signal);
}

/** An empty message is the proper end of what the service sends. */
async function* untilEmpty(incoming: AsyncIterable<Message>): AsyncGenerator<Uint8Array> {
  for await (const { data } of incoming) {
    if (data.length === 0) return;
    yield data;
  }
}

async function sendOut(
  socket: WebSocket,
  { id, method, params }: Request,
  { sources }: Handlers,
  signal: AbortSignal,
): Promise<void> {
  if (!isKey(method, sources)) throw noSuchMethod(method);
  const open = sources[method] as (
    params: unknown,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<Uint8Array>>;
  const stream = await open(parse(AGENT_STREAMS[method].params, params), signal);
  await send(socket, JSON.stringify({ id, result: {} }));
  for await (const bytes of stream) await send(socket, bytes);
}

function parse<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  throw new OutworkError("validation-failed", z.prettifyError(parsed.error));
}

function isKey<T extends object>(key: string, table: T): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}

function noSuchMethod(method: string): OutworkError {
  return new OutworkError("validation-failed", `The agent has no method ${method}.`);
}

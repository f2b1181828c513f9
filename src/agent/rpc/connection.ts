import type { ExecServerPeer } from "../../contract/agent.ts";
import { CANCEL_METHOD, EXEC_SERVER_METHOD } from "../../contract/constants.ts";
import { OutworkError, toProblem } from "../../errors.ts";
import type { FrameStream } from "../../wire/frames.ts";
import type { Handlers } from "./methods.ts";

/** JSON-RPC's code for a failure of the method itself; what it was is in `data.problem`. */
const METHOD_FAILED = -32603;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

type Log = (error: unknown) => unknown;

/**
 * Serves one connection of the service until it closes. Requests on it may overlap; a request for a
 * stream has the connection to itself from then on. Parameters are taken as they are: the service has
 * checked them, and nobody else can open the socket.
 */
export async function serveConnection(
  frames: FrameStream,
  handlers: Handlers,
  log: Log,
): Promise<void> {
  const calls = new Map<number, AbortController>();
  try {
    for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
      const request = JSON.parse(frame.payload.toString("utf8")) as Request;
      if (request.method === EXEC_SERVER_METHOD) return await execServer(frames, request, handlers);
      if (request.method in handlers.sources) return await sendOut(frames, request, handlers, log);
      if (request.method in handlers.sinks) return await takeIn(frames, request, handlers, log);
      if (request.method === CANCEL_METHOD) calls.get(request.id)?.abort();
      else void serveCall(frames, request, handlers, calls, log);
    }
  } catch {
    // The other side is gone, with whatever it still wanted to say.
  } finally {
    for (const running of calls.values()) running.abort();
    frames.destroy();
  }
}

async function execServer(
  frames: FrameStream,
  request: Request,
  handlers: Handlers,
): Promise<void> {
  await frames.send(JSON.stringify({ id: request.id, result: {} }));
  await handlers.execServer(request.params as ExecServerPeer, frames);
}

async function serveCall(
  frames: FrameStream,
  request: Request,
  { methods }: Handlers,
  calls: Map<number, AbortController>,
  log: Log,
): Promise<void> {
  const running = new AbortController();
  calls.set(request.id, running);
  const logUnlessGone: Log = (error) => running.signal.aborted || log(error);
  const reply = await answerTo(request, logUnlessGone, () => {
    const handler = handlerOf(methods, request.method);
    return handler(request.params, running.signal);
  });
  calls.delete(request.id);
  if (!running.signal.aborted) await frames.send(JSON.stringify(reply)).catch(() => {});
}

async function answerTo(request: Request, log: Log, work: () => unknown) {
  try {
    return { id: request.id, result: await work() };
  } catch (error) {
    return failure(request.id, error, log);
  }
}

function failure(id: number, error: unknown, log: Log) {
  if (!(error instanceof OutworkError)) log(error);
  const problem = toProblem(error);
  return { id, error: { code: METHOD_FAILED, message: problem.detail, data: { problem } } };
}

async function takeIn(
  frames: FrameStream,
  request: Request,
  { sinks }: Handlers,
  log: Log,
): Promise<void> {
  const gone = goneWith(frames);
  const take = sinks["outwork/archive/put"];
  const params = request.params as Parameters<typeof take>[0];
  const reply = await answerTo(request, log, () => take(params, payloads(frames), gone));
  await frames.send(JSON.stringify(reply));
  await frames.end();
}

async function* payloads(frames: FrameStream): AsyncGenerator<Uint8Array> {
  for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
    yield frame.payload;
  }
}

async function sendOut(
  frames: FrameStream,
  request: Request,
  { sources }: Handlers,
  log: Log,
): Promise<void> {
  const gone = goneWith(frames);
  try {
    const open = handlerOf(sources, request.method);
    const stream = (await open(request.params, gone)) as AsyncIterable<Uint8Array>;
    await frames.send(JSON.stringify({ id: request.id, result: {} }));
    for await (const bytes of stream) await frames.send(bytes);
  } catch (error) {
    if (gone.aborted) return;
    await frames.send(JSON.stringify(failure(request.id, error, log)));
  }
  await frames.end();
}

function goneWith(frames: FrameStream): AbortSignal {
  const gone = new AbortController();
  void frames.closed.then(() => gone.abort());
  return gone.signal;
}

/** The types tie each method to its parameters; on the wire there is only the name. */
type Handler = (params: unknown, signal: AbortSignal) => unknown;

function handlerOf(table: object, method: string): Handler {
  if (Object.hasOwn(table, method)) return table[method as keyof typeof table] as Handler;
  throw new OutworkError("validation-failed", `The agent has no method ${method}.`);
}

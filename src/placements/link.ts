import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { AgentMethod, AgentStream, ParamsOf, ResultOf } from "../contract/agent.ts";
import type { AgentLink, WaitOptions } from "../core/agent-link.ts";
import { asError, OutworkError } from "../errors.ts";
import { messages, send } from "../wire/messages.ts";
import { resultOf, unreachable } from "./answers.ts";
import { ControlConnection } from "./control-connection.ts";

/** Opens a fresh duplex stream to the agent's socket. */
export type Connect = (options: WaitOptions) => Promise<Duplex>;

/** As the agent's own limit. */
const MAX_MESSAGE_BYTES = 67_108_864;

/** An agent link over any duplex stream; what all placements share. Nothing is opened before use. */
export class StreamLink implements AgentLink {
  readonly #connect: Connect;
  #control: Promise<ControlConnection> | null = null;
  #disposed = false;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  async call<M extends AgentMethod>(
    method: M,
    params: ParamsOf<M>,
    { signal }: WaitOptions,
  ): Promise<ResultOf<M>> {
    const control = await this.#controlConnection();
    return (await control.call(method, params, signal)) as ResultOf<M>;
  }

  async read<M extends Exclude<AgentStream, "outwork/archive/put">>(
    method: M,
    params: ParamsOf<M>,
    { signal }: WaitOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const socket = await this.#open(signal);
    const incoming = messages(socket);
    await send(socket, JSON.stringify({ id: 1, method, params }));
    resultOf(await nextText(incoming));
    return bytesOf(socket, incoming);
  }

  async write<M extends Extract<AgentStream, "outwork/archive/put">>(
    method: M,
    params: ParamsOf<M>,
    source: AsyncIterable<Uint8Array>,
    { signal }: WaitOptions,
  ): Promise<ResultOf<M>> {
    const socket = await this.#open(signal);
    try {
      const answer = nextText(messages(socket));
      await send(socket, JSON.stringify({ id: 1, method, params }));
      await Promise.race([answer, sendAll(socket, source)]);
      return resultOf(await answer) as ResultOf<M>;
    } finally {
      socket.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    (await this.#control?.catch(() => null))?.close();
  }

  /** One for all calls; a broken one is replaced at the next call. */
  async #controlConnection(): Promise<ControlConnection> {
    this.#control ??= this.#open(AbortSignal.timeout(CONNECT_TIMEOUT_MS)).then(
      (socket) => new ControlConnection(socket, () => this.#forget()),
    );
    try {
      return await this.#control;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#control = null;
  }

  async #open(signal: AbortSignal): Promise<WebSocket> {
    if (this.#disposed) throw unreachable(new Error("the link is closed"));
    try {
      const stream = await this.#connect({ signal });
      return await openSocket(stream, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof OutworkError ? error : unreachable(asError(error));
    }
  }
}

/** A local socket answers at once; a bridge has to be started in the container first. */
const CONNECT_TIMEOUT_MS = 10_000;

function openSocket(stream: Duplex, signal: AbortSignal): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket("ws://agent/", {
      createConnection: () => stream as never,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      skipUTF8Validation: true,
    });
    const abort = () => socket.terminate();
    signal.addEventListener("abort", abort);
    socket.once("open", () => resolve(socket));
    socket.once("close", () => signal.removeEventListener("abort", abort));
    socket.on("error", reject);
  });
}

async function nextText(incoming: AsyncIterator<{ data: Buffer }>): Promise<string> {
  try {
    const next = await incoming.next();
    if (!next.done) return next.value.data.toString("utf8");
  } catch (error) {
    throw unreachable(asError(error));
  }
  throw unreachable(new Error("the agent closed the connection before it answered"));
}

async function sendAll(socket: WebSocket, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of source) {
    if (socket.readyState !== socket.OPEN) return;
    if (bytes.length > 0) await send(socket, bytes);
  }
  await send(socket, new Uint8Array());
}

async function* bytesOf(
  socket: WebSocket,
  incoming: AsyncGenerator<{ data: Buffer; isBinary: boolean }>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const { data, isBinary } of incoming) {
      if (isBinary) yield data;
      else resultOf(data.toString("utf8"));
    }
  } catch (error) {
    throw error instanceof OutworkError ? error : unreachable(asError(error));
  } finally {
    socket.terminate();
  }
}

import type { Duplex } from "node:stream";
import type {
  AgentMethod,
  AgentStream,
  ExecServerPeer,
  ParamsOf,
  ResultOf,
} from "../contract/agent.ts";
import { EXEC_SERVER_METHOD } from "../contract/constants.ts";
import type { AgentLink, Channel, WaitOptions } from "../core/agent-link.ts";
import { asError, OutworkError } from "../errors.ts";
import { FrameStream } from "../wire/frames.ts";
import { resultOf, unreachable } from "./answers.ts";
import { ControlConnection } from "./control-connection.ts";

/** Opens a fresh duplex stream to the agent's socket. */
export type Connect = (options: WaitOptions) => Promise<Duplex>;

/** A local socket answers at once; a bridge has to be started in the container first. */
const CONNECT_TIMEOUT_MS = 10_000;

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
    signal.throwIfAborted();
    const control = await this.#controlConnection();
    return (await control.call(method, params, signal)) as ResultOf<M>;
  }

  async read<M extends Exclude<AgentStream, "outwork/archive/put">>(
    method: M,
    params: ParamsOf<M>,
    { signal }: WaitOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const frames = await this.#openFor(signal);
    await frames.send(JSON.stringify({ id: 1, method, params }));
    resultOf(await nextText(frames, signal));
    return bytesOf(frames, signal);
  }

  async write<M extends Extract<AgentStream, "outwork/archive/put">>(
    method: M,
    params: ParamsOf<M>,
    source: AsyncIterable<Uint8Array>,
    { signal }: WaitOptions,
  ): Promise<ResultOf<M>> {
    const frames = await this.#openFor(signal);
    try {
      await frames.send(JSON.stringify({ id: 1, method, params }));
      const answer = nextText(frames, signal);
      // An agent that refuses answers before it has been sent everything.
      await Promise.race([answer, sendAll(frames, source)]);
      return resultOf(await answer) as ResultOf<M>;
    } finally {
      frames.destroy();
    }
  }

  async execServer(peer: ExecServerPeer, { signal }: WaitOptions): Promise<Channel> {
    const frames = await this.#openFor(signal);
    await frames.send(JSON.stringify({ id: 1, method: EXEC_SERVER_METHOD, params: peer }));
    resultOf(await nextText(frames, signal));
    return frames;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const control = await this.#control?.catch(() => null);
    control?.close();
  }

  /** One for all calls; a broken one is replaced at the next call. */
  async #controlConnection(): Promise<ControlConnection> {
    this.#control ??= this.#open(AbortSignal.timeout(CONNECT_TIMEOUT_MS)).then(
      (frames) => new ControlConnection(frames, () => this.#forget()),
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

  /** A connection that lives no longer than `signal` lets it. */
  async #openFor(signal: AbortSignal): Promise<FrameStream> {
    const frames = await this.#open(signal);
    const abort = () => frames.destroy();
    signal.addEventListener("abort", abort);
    void frames.closed.then(() => signal.removeEventListener("abort", abort));
    return frames;
  }

  async #open(signal: AbortSignal): Promise<FrameStream> {
    if (this.#disposed) throw unreachable(new Error("the environment is being removed"));
    try {
      return new FrameStream(await this.#connect({ signal }));
    } catch (error) {
      throw error instanceof OutworkError ? error : unreachable(asError(error));
    }
  }
}

/** @throws the signal's reason when that is what ended the stream */
async function nextText(frames: FrameStream, signal: AbortSignal): Promise<string> {
  const frame = await frames.next().catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(asError(error));
  });
  if (frame) return frame.payload.toString("utf8");
  throw unreachable(new Error("it closed the connection before it answered"));
}

async function sendAll(frames: FrameStream, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of source) await frames.send(bytes);
  await frames.finish();
}

/** A text frame in the stream is the error that ended it. */
async function* bytesOf(frames: FrameStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
      if (frame.isText) resultOf(frame.payload.toString("utf8"));
      else yield frame.payload;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof OutworkError ? error : unreachable(asError(error));
  } finally {
    frames.destroy();
  }
}

import { CANCEL_METHOD } from "../contract/constants.ts";
import { asError } from "../errors.ts";
import type { FrameStream } from "../wire/frames.ts";
import { resultOf, unreachable } from "./answers.ts";

interface Waiter {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls to an agent that share one connection. */
export class ControlConnection {
  readonly #frames: FrameStream;
  readonly #waiting = new Map<number, Waiter>();
  #lastId = 0;

  constructor(frames: FrameStream, onClose: () => void) {
    this.#frames = frames;
    void this.#receive().then(onClose);
  }

  /** @throws `agent-unreachable` when the connection breaks first; the call may have had its effect */
  async call(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const abort = () => this.#abandon(id, signal.reason);
    signal.addEventListener("abort", abort);
    try {
      await this.#send({ id, method, params });
      return resultOf(await answer);
    } finally {
      signal.removeEventListener("abort", abort);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#frames.destroy();
  }

  /** The agent is told, so that it does not hand out what nobody will read. */
  #abandon(id: number, reason: unknown): void {
    this.#waiting.get(id)?.reject(reason);
    void this.#send({ id, method: CANCEL_METHOD }).catch(() => {});
  }

  async #send(message: object): Promise<void> {
    await this.#frames.send(JSON.stringify(message));
  }

  async #receive(): Promise<void> {
    try {
      for (let frame = await this.#frames.next(); frame; frame = await this.#frames.next()) {
        this.#answered(frame.payload.toString("utf8"));
      }
      this.#fail(new Error("it closed the connection"));
    } catch (error) {
      this.#fail(asError(error));
    }
  }

  #answered(answer: string): void {
    const { id } = JSON.parse(answer) as { id: number };
    this.#waiting.get(id)?.resolve(answer);
  }

  #fail(cause: Error): void {
    for (const { reject } of this.#waiting.values()) reject(unreachable(cause));
  }
}

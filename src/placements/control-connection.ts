import type { WebSocket } from "ws";
import { CANCEL_METHOD } from "../contract/agent.ts";
import { resultOf, unreachable } from "./answers.ts";

interface Waiter {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** Calls to an agent that share one connection. */
export class ControlConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiter>();
  #lastId = 0;

  constructor(socket: WebSocket, onClose: () => void) {
    this.#socket = socket;
    socket.on("message", (data) => this.#answered(String(data)));
    socket.once("close", () => {
      onClose();
      this.#broken();
    });
  }

  /** @throws `agent-unreachable` when the connection breaks first; the call may have had its effect */
  async call(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const answer = new Promise<string>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const abort = () => this.#abandon(id, signal.reason);
    signal.addEventListener("abort", abort);
    try {
      this.#socket.send(JSON.stringify({ id, method, params }));
      return resultOf(await answer);
    } finally {
      signal.removeEventListener("abort", abort);
      this.#waiting.delete(id);
    }
  }

  /** The agent is told, so that it does not hand out what nobody will read. */
  #abandon(id: number, reason: Error): void {
    this.#waiting.get(id)?.reject(reason);
    this.#socket.send(JSON.stringify({ id, method: CANCEL_METHOD }));
  }

  close(): void {
    this.#socket.terminate();
  }

  #answered(answer: string): void {
    const { id } = JSON.parse(answer) as { id: number };
    this.#waiting.get(id)?.resolve(answer);
  }

  #broken(): void {
    const error = unreachable(new Error("the connection to it broke"));
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

import type { ChildProcess } from "node:child_process";
import { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";
import { internalError, RpcError } from "../../exec-server/rpc-error.ts";
import { FrameStream } from "../../wire/frames.ts";
import type { FileOperation, FileReply } from "./protocol.ts";

interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A resident process inside one sandbox that carries out file calls. */
export class FileHelper {
  readonly #child: ChildProcess;
  readonly #frames: FrameStream;
  readonly #waiting = new Map<number, Waiter>();
  readonly #watches = new Map<number, () => void>();
  #lastId = 0;

  constructor(child: ChildProcess, onGone: () => void) {
    this.#child = child;
    if (!child.stdin || !child.stdout) throw new Error("a file helper needs pipes");
    this.#frames = new FrameStream(Duplex.from({ readable: child.stdout, writable: child.stdin }));
    child.on("error", () => this.#frames.destroy());
    void this.#receive().finally(() => {
      // Whoever hears that it is gone may want another at once.
      onGone();
      this.#fail();
      child.kill("SIGKILL");
    });
  }

  /** True while something of it is in use: a call, a watch. Open files are counted by their owner. */
  get busy(): boolean {
    return this.#waiting.size > 0 || this.#watches.size > 0;
  }

  /** @throws RpcError as the helper has it, or because it is gone */
  async do(operation: FileOperation): Promise<unknown> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#frames.send(serialize({ id, operation })).catch(() => this.#fail());
    return answer;
  }

  /** Calls `changed` once, when a watch that the helper has set reports. */
  onChange(watch: number, changed: () => void): void {
    this.#watches.set(watch, changed);
  }

  forget(watch: number): void {
    this.#watches.delete(watch);
  }

  stop(): void {
    this.#frames.destroy();
    this.#child.kill("SIGKILL");
  }

  async #receive(): Promise<void> {
    try {
      for (let frame = await this.#frames.next(); frame; frame = await this.#frames.next()) {
        this.#take(deserialize(frame.payload) as FileReply);
      }
    } catch {
      // Gone is gone: whoever waits is told.
    }
  }

  #take(reply: FileReply): void {
    if ("changed" in reply) {
      this.#watches.get(reply.changed)?.();
      this.#watches.delete(reply.changed);
      return;
    }
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("error" in reply) waiter?.reject(RpcError.fromWire(reply.error));
    else waiter?.resolve(reply.result);
  }

  #fail(): void {
    const error = internalError("the file helper of this sandbox has ended");
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

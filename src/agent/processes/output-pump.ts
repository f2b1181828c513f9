import { once } from "node:events";
import type { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { StreamName } from "../../contract/process.ts";
import type { OutputLog } from "./output-log.ts";

/** Copies a command's streams into its log, at the pace of the log. */
export class OutputPump {
  readonly #log: OutputLog;
  readonly #streams: readonly Readable[];
  /** Resolves when every stream has ended. */
  readonly ended: Promise<void>;

  constructor(log: OutputLog, sources: Readonly<Partial<Record<StreamName, Readable | null>>>) {
    this.#log = log;
    const present = Object.entries(sources).filter((source): source is [StreamName, Readable] =>
      Boolean(source[1]),
    );
    this.#streams = present.map(([, stream]) => stream);
    this.ended = Promise.all(present.map(([name, stream]) => this.#pump(name, stream))).then(
      () => {},
    );
  }

  /** Resolves once all that lies in the pipes by now has been read, or the log takes no more. */
  async caughtUp(): Promise<void> {
    for (let seen = -1; seen !== this.#log.totals().total_bytes && !this.#isPaused; ) {
      seen = this.#log.totals().total_bytes;
      // The first may come before anything is read; in the second, whatever can be read has been.
      await turn();
      await turn();
    }
  }

  /** Ends the streams once what was written into them has been read. For when nobody writes any more. */
  async cutOff(): Promise<void> {
    await this.caughtUp();
    while (this.#isPaused) {
      await once(this.#log, "drained");
      await this.caughtUp();
    }
    for (const stream of this.#streams) stream.destroy();
  }

  get #isPaused(): boolean {
    return this.#streams.some((stream) => stream.isPaused());
  }

  /** A terminal ends with EIO, which is no error. */
  #pump(name: StreamName, stream: Readable): Promise<void> {
    const resume = () => stream.isPaused() && stream.resume();
    stream.on("data", (bytes: Buffer) => {
      this.#log.append(name, bytes);
      if (this.#log.full) stream.pause();
    });
    this.#log.on("drained", resume);
    return new Promise((resolve) => {
      stream.on("error", () => {});
      stream.once("close", () => {
        this.#log.off("drained", resume);
        resolve();
      });
    });
  }
}

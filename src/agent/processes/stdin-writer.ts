import type { Writable } from "node:stream";
import type { WriteStdinResult } from "../../contract/process.ts";

/** Write ids remembered per process. A repeat within this window writes nothing. */
const REMEMBERED_WRITE_IDS = 4096;

/** What a terminal takes for the end of its input: Ctrl-D. */
const END_OF_TRANSMISSION = "\x04";

/** A process's standard input. Writes land in the order they were accepted, each id once. */
export class StdinWriter {
  readonly #sink: Writable | null;
  readonly #isTerminal: boolean;
  readonly #accepted = new Set<string>();
  #ended = false;

  constructor(sink: Writable | null, isTerminal: boolean) {
    this.#sink = sink;
    this.#isTerminal = isTerminal;
    // The reader is gone: later writes answer `stdin-closed`.
    sink?.on("error", () => this.close());
    sink?.once("close", () => this.close());
  }

  get open(): boolean {
    return this.#sink !== null && !this.#ended;
  }

  /** Resolves when the bytes have been handed to the system, which is how a full pipe is felt. */
  async write(writeId: string, bytes: Buffer, end: boolean): Promise<WriteStdinResult["status"]> {
    if (this.#accepted.has(writeId)) return "accepted";
    if (!this.open || !this.#sink) return "stdin-closed";
    this.#remember(writeId);
    const sink = this.#sink;
    if (bytes.length > 0 && !(await handedOver(sink, bytes))) return "stdin-closed";
    if (end) this.#end(sink);
    return "accepted";
  }

  /** A terminal stays open: the end of its input is a character, and the program decides. */
  #end(sink: Writable): void {
    if (this.#isTerminal) {
      sink.write(END_OF_TRANSMISSION);
      return;
    }
    this.#ended = true;
    sink.end();
  }

  close(): void {
    this.#ended = true;
  }

  #remember(writeId: string): void {
    this.#accepted.add(writeId);
    const [oldest] = this.#accepted;
    if (this.#accepted.size > REMEMBERED_WRITE_IDS && oldest !== undefined) {
      this.#accepted.delete(oldest);
    }
  }
}

/** False when the reader was gone before it had taken everything. */
function handedOver(sink: Writable, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    // A destroyed pipe reports no error for what it still held.
    sink.write(bytes, (error) => resolve(!error && !sink.destroyed));
  });
}

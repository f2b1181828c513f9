import { OutworkError } from "../errors.ts";

/** The longest line that is read, in bytes; a longer one is not a header of ours. */
const MAX_LINE_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/** Lines and counted bytes out of a stream of chunks, however it was cut. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next line without its newline; undefined when the stream ends before one. */
  async line(): Promise<string | undefined> {
    let end = this.#held.indexOf(NEWLINE);
    while (end < 0) {
      if (this.#held.length > MAX_LINE_BYTES) throw overlong();
      const searched = this.#held.length;
      if (!(await this.#more(1))) return undefined;
      end = this.#held.indexOf(NEWLINE, searched);
    }
    return this.#cut(end + 1).toString("utf8", 0, end);
  }

  /** Exactly this many bytes; undefined when the stream ends before them. */
  async bytes(count: number): Promise<Buffer | undefined> {
    const missing = count - this.#held.length;
    if (missing > 0 && !(await this.#more(missing))) return undefined;
    return this.#cut(count);
  }

  /** Ends the stream, read or not. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Takes in at least this many further bytes; false when the stream ends first. */
  async #more(count: number): Promise<boolean> {
    const parts: Uint8Array[] = [this.#held];
    for (let missing = count; missing > 0; ) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      parts.push(next.value);
      missing -= next.value.byteLength;
    }
    this.#held = Buffer.concat(parts);
    return true;
  }

  #cut(count: number): Buffer {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }
}

function overlong(): OutworkError {
  return new OutworkError("internal", `a line of output is longer than ${MAX_LINE_BYTES} bytes`);
}

const LF = 0x0a;
const CR = 0x0d;

/** A file's bytes as lines. A line ends at LF, CR LF or a lone CR; the last may have no ending. */
export class LineTable {
  readonly bytes: Buffer;
  /** How many lines there are; none in an empty file. */
  readonly count: number;
  /** Where each line starts, and at last where the file ends. */
  readonly #starts: Uint32Array;

  /** @param content valid UTF-8 */
  constructor(content: Uint8Array) {
    this.bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    this.#starts = lineStarts(this.bytes);
    this.count = this.#starts.length - 1;
  }

  /** Offset of a line's first byte; of the end of the file for the line after the last. */
  start(line: number): number {
    return this.#starts[line] ?? this.bytes.length;
  }

  /** Offset of the first byte of a line's ending. */
  textEnd(line: number): number {
    const start = this.start(line);
    const end = this.start(line + 1);
    if (end > start && this.bytes[end - 1] === CR) return end - 1;
    if (end === start || this.bytes[end - 1] !== LF) return end;
    return end - 1 > start && this.bytes[end - 2] === CR ? end - 2 : end - 1;
  }

  /** A line without its ending. */
  text(line: number): string {
    return this.bytes.toString("utf8", this.start(line), this.textEnd(line));
  }

  /** The ending that new lines get: that of the first line, LF when the file has none. */
  get ending(): string {
    const first = this.bytes.toString("latin1", this.textEnd(0), this.start(1));
    return first === "" ? "\n" : first;
  }

  /** Whether the last line lacks an ending. */
  get unterminated(): boolean {
    return this.count > 0 && this.textEnd(this.count - 1) === this.bytes.length;
  }
}

function lineStarts(bytes: Buffer): Uint32Array {
  let starts = new Uint32Array(Math.min(bytes.length + 1, 1024));
  let count = 0;
  let at = 0;
  while (at < bytes.length) {
    if (count + 1 === starts.length) starts = grown(starts);
    starts[count++] = at;
    at = nextLine(bytes, at);
  }
  starts[count] = bytes.length;
  return starts.subarray(0, count + 1);
}

function nextLine(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === CR) return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return bytes.length;
}

function grown(starts: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(starts.length * 2);
  larger.set(starts);
  return larger;
}

import type { OutputEvent, StreamName } from "../contract/process.ts";

/**
 * An output event with its bytes as bytes. On the wire it is a record: one line of JSON, in which
 * `output` has `bytes` (a count), a newline, then that many raw bytes.
 */
export type OutputRecord =
  | { type: "output"; seq: number; stream: StreamName; offset: number; bytes: Buffer }
  | Exclude<OutputEvent, { type: "output" }>;

/** Longest line of JSON in a record. Anything above is not a record. */
const MAX_HEADER_BYTES = 65_536;
const NEWLINE = 0x0a;

export function encodeRecord(record: OutputRecord): Uint8Array {
  if (record.type !== "output") return Buffer.from(`${JSON.stringify(record)}\n`);
  const { bytes, ...header } = record;
  const line = `${JSON.stringify({ ...header, bytes: bytes.length })}\n`;
  return Buffer.concat([Buffer.from(line), bytes]);
}

/** The same event in the JSON form, bytes in base64. */
export function toOutputEvent(record: OutputRecord): OutputEvent {
  if (record.type !== "output") return record;
  const { bytes, ...header } = record;
  return { ...header, chunk: bytes.toString("base64") };
}

/**
 * Cuts a byte stream into records, wherever it is split. Empty lines are heartbeats and are skipped.
 * @throws {Error} a line that is no JSON object or is longer than a header may be
 */
export class RecordDecoder {
  #pending: Buffer = Buffer.alloc(0);
  #missing: { header: Record<string, unknown>; parts: Buffer[]; bytes: number } | null = null;

  /** The records, of whatever type, that these bytes complete. */
  *push(input: Uint8Array): Generator<Record<string, unknown>> {
    let rest: Buffer = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
    while (rest.length > 0) {
      if (this.#missing) rest = this.#fill(rest);
      else rest = this.#line(rest);
      if (this.#missing?.bytes === 0) yield this.#complete();
      else if (this.#ready) yield this.#takeReady();
    }
  }

  #ready: Record<string, unknown> | null = null;

  #takeReady(): Record<string, unknown> {
    const ready = this.#ready ?? {};
    this.#ready = null;
    return ready;
  }

  #complete(): Record<string, unknown> {
    const { header, parts } = this.#missing ?? { header: {}, parts: [] };
    this.#missing = null;
    const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    return { ...header, bytes };
  }

  #fill(rest: Buffer): Buffer {
    if (!this.#missing) return rest;
    const part = rest.subarray(0, this.#missing.bytes);
    this.#missing.parts.push(part);
    this.#missing.bytes -= part.length;
    return rest.subarray(part.length);
  }

  #line(rest: Buffer): Buffer {
    const end = rest.indexOf(NEWLINE);
    const piece = end === -1 ? rest : rest.subarray(0, end);
    this.#pending = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    if (this.#pending.length > MAX_HEADER_BYTES) throw new Error("not an output record");
    if (end === -1) return Buffer.alloc(0);
    this.#header(this.#pending.toString("utf8"));
    this.#pending = Buffer.alloc(0);
    return rest.subarray(end + 1);
  }

  #header(line: string): void {
    if (line === "") return;
    const header = JSON.parse(line) as Record<string, unknown>;
    if (header.type === "output") {
      this.#missing = { header, parts: [], bytes: Number(header.bytes) };
    } else this.#ready = header;
  }
}

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Extract, extract, type Header } from "tar-stream";
import { OutworkError } from "../errors.ts";
import { type ByteText, byteText } from "./byte-text.ts";
import { refused } from "./refusal.ts";

const BLOCK_BYTES = 512;
/** 9999-12-31: past what any file system keeps. */
const MAX_SECONDS = 253_402_300_799;

/** Names as bytes: see ByteText. */
const PARSER_OPTIONS = { highWaterMark: 65_536, filenameEncoding: "latin1" };

type Source = Extract extends AsyncIterable<infer Entry> ? Entry : never;

/** What the parser gives beyond its declared types. */
type ParsedHeader = Omit<Header, "linkname" | "type"> & {
  /** Where the content starts in the stream. */
  readonly byteOffset: number;
  readonly linkname: string | null;
  readonly pax: Readonly<Record<string, string>> | null;
  /** Null for letters that the parser does not know. */
  readonly type: Header["type"] | null;
};

export type TarEntry = {
  readonly name: ByteText;
  readonly type: Header["type"] | null;
  /** Of a link; empty otherwise. */
  readonly linkname: ByteText;
  readonly mode: number;
  readonly mtimeSeconds: number;
  readonly body: AsyncIterable<Buffer>;
};

/** Reads one tar stream and knows in the end whether all of it came. */
export class TarReader {
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #lastName: ByteText = "";
  #contentEnd = 0;
  #trailingZeros = 0;
  #sourceError: { readonly error: unknown } | undefined;

  /** Bytes that came so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Call once, when all is read. */
  get sha256(): string {
    return this.#hash.digest("hex");
  }

  /**
   * @throws `archive-refused` when the stream is no tar or ends before its end mark
   * @throws whatever `source` throws
   */
  async *read(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
    const parser = extract(PARSER_OPTIONS);
    const fed = pipeline(Readable.from(this.#counted(source)), parser);
    // The parser's own iteration reports the failure; this promise is the same one again.
    fed.catch(() => {});
    try {
      for await (const entry of parser) {
        yield this.#entry(entry);
        entry.resume();
      }
    } catch (error) {
      throw this.#reason(error);
    }
    if (!this.#endMarkSeen()) throw refused(this.#lastName, "broken");
  }

  async *#counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source) {
        this.#count(chunk);
        yield chunk;
      }
    } catch (error) {
      this.#sourceError = { error };
      throw error;
    }
  }

  #count(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    const zeros = zerosAtEnd(chunk);
    this.#trailingZeros = zeros === chunk.length ? this.#trailingZeros + zeros : zeros;
  }

  #entry(entry: Source): TarEntry {
    const header = entry.header as ParsedHeader;
    this.#lastName = nameOf(header);
    const size = header.type === "directory" ? 0 : header.size;
    this.#contentEnd = header.byteOffset + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    if (!Number.isInteger(header.mode)) throw refused(this.#lastName, "broken");
    return {
      name: this.#lastName,
      type: isSparse(header) ? null : header.type,
      linkname: linkOf(header),
      mode: header.mode,
      mtimeSeconds: mtimeOf(header),
      body: this.#body(entry as AsyncIterable<Buffer>),
    };
  }

  async *#body(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* content;
    } catch (error) {
      throw this.#reason(error);
    }
  }

  /** The parser's errors say less than where we were when they came. */
  #reason(error: unknown): unknown {
    if (this.#sourceError) return this.#sourceError.error;
    if (error instanceof OutworkError) return error;
    return refused(this.#lastName, "broken", error);
  }

  /** Without its end mark, an archive cut between two entries would pass for a whole one. */
  #endMarkSeen(): boolean {
    return this.#bytes >= this.#contentEnd + BLOCK_BYTES && this.#trailingZeros >= BLOCK_BYTES;
  }
}

/** At most one block's worth counts; a file of zeros is not searched through. */
function zerosAtEnd(chunk: Buffer): number {
  const searched = Math.min(chunk.length, BLOCK_BYTES);
  let zeros = 0;
  while (zeros < searched && chunk[chunk.length - 1 - zeros] === 0) zeros += 1;
  return zeros === searched ? chunk.length : zeros;
}

function nameOf({ name, pax }: ParsedHeader): ByteText {
  return pax?.path === undefined ? name : extended(pax.path);
}

function linkOf({ linkname, pax }: ParsedHeader): ByteText {
  return pax?.linkpath === undefined ? (linkname ?? "") : extended(pax.linkpath);
}

/** The parser has decoded extended headers as UTF-8, so what was not UTF-8 is lost. */
function extended(text: string): ByteText {
  if (text.includes("\u{fffd}")) throw refused(byteText(text), "not-utf8");
  return byteText(text);
}

function isSparse({ pax }: ParsedHeader): boolean {
  return Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse."));
}

function mtimeOf({ mtime, pax }: ParsedHeader): number {
  const seconds = Number(pax?.mtime ?? mtime.getTime() / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_SECONDS) : 0;
}

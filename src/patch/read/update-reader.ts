import type { ChunkLine, UpdateFile } from "../operation.ts";
import * as markers from "./markers.ts";
import { syntax } from "./syntax.ts";
import { isBlank, trimEnd } from "./white-space.ts";

type OpenChunk = { header: string | null; lines: ChunkLine[]; final: boolean };
type OpenUpdate = {
  kind: "update";
  path: string;
  destination: string | null;
  chunks: OpenChunk[];
};

/** Reads the lines below one `*** Update File:` header. */
export class UpdateReader {
  readonly #operation: OpenUpdate;
  readonly #headerLine: number;

  constructor(path: string, headerLine: number) {
    this.#operation = { kind: "update", path, destination: null, chunks: [] };
    this.#headerLine = headerLine;
  }

  /** What was read so far; grows. */
  get operation(): UpdateFile {
    return this.#operation;
  }

  /** Takes a line, or leaves it because the operation ends here: a header, or the end. */
  take(line: string, number: number): boolean {
    const chunk = this.#operation.chunks.at(-1);
    const marker = trimEnd(line);
    if (chunk?.lines.length === 0) this.#intoEmptyChunk(chunk, line, number);
    else if (marker === markers.END || markers.header(marker)) return this.#close();
    else if (!this.#takeMarker(chunk, marker)) this.#takeLine(chunk, line, number);
    return true;
  }

  /** Ends the operation at the end of the patch. */
  end(number: number): void {
    if (this.#operation.chunks.at(-1)?.lines.length === 0) throw syntax.chunkEmpty(number);
    this.#close();
  }

  #close(): false {
    const { path, chunks } = this.#operation;
    if (chunks.length === 0) throw syntax.updateEmpty(this.#headerLine, path);
    return false;
  }

  #intoEmptyChunk(chunk: OpenChunk, line: string, number: number): void {
    const marker = trimEnd(line);
    if (marker === markers.END || marker === markers.END_OF_FILE) throw syntax.chunkEmpty(number);
    const content = contentLine(line);
    if (content) chunk.lines.push(content);
    else throw syntax.unexpectedLine(number, markers.header(marker) ? marker : line);
  }

  /** A move, the opening of a chunk, or the mark of the file's end. */
  #takeMarker(chunk: OpenChunk | undefined, marker: string): boolean {
    if (marker === markers.END_OF_FILE && !chunk?.final) {
      if (chunk) chunk.final = true;
      return true;
    }
    const header = markers.chunkHeader(marker);
    if (header !== undefined) {
      this.#operation.chunks.push({ header, lines: [], final: false });
      return true;
    }
    const destination = markers.destination(marker);
    if (destination === null || chunk || this.#operation.destination !== null) return false;
    this.#operation.destination = destination;
    return true;
  }

  #takeLine(chunk: OpenChunk | undefined, line: string, number: number): void {
    if (chunk?.final && isBlank(line)) return;
    const content = chunk?.final ? null : contentLine(line);
    if (content && chunk) chunk.lines.push(content);
    else if (content) this.#operation.chunks.push({ header: null, lines: [content], final: false });
    else if (chunk) throw syntax.chunkExpected(number, line);
    else throw syntax.unexpectedLine(number, line);
  }
}

const SIGNS = new Map<string | undefined, ChunkLine["kind"]>([
  [" ", "context"],
  ["+", "add"],
  ["-", "remove"],
]);

/** An empty line is context that lost its sign. */
function contentLine(line: string): ChunkLine | null {
  if (line === "") return { kind: "context", text: "" };
  const kind = SIGNS.get(line[0]);
  return kind ? { kind, text: line.slice(1) } : null;
}

import { asError } from "../../errors.ts";
import { PatchSyntaxError } from "../failure.ts";
import type { Patch } from "../operation.ts";
import * as markers from "./markers.ts";
import { PatchReader } from "./reader.ts";
import { syntax } from "./syntax.ts";
import { isBlank, trim, trimEnd, trimStart } from "./white-space.ts";

const HEREDOCS = ["<<EOF", "<<'EOF'", '<<"EOF"'];

/**
 * Reads a patch that arrives in pieces. A line is read once it is complete and certain not to close
 * the patch. Whatever is wrong with the text is said by `finish`, since the end of a patch is
 * judged before its middle.
 */
export class PatchStream {
  readonly #reader = new PatchReader();
  #unfinished = "";
  #at: "start" | "heredoc" | "body" | "failed" = "start";
  /** Lines that may yet close the patch, and blank ones after them. */
  #held: string[] = [];
  /** How many lines close the patch: its end marker, and that of a heredoc around it. */
  #closing = 1;
  #failure: Error | null = null;

  /** The patch as read so far; its last operation may still grow. */
  get patch(): Patch {
    return this.#reader.patch;
  }

  push(piece: string): void {
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      this.#take(this.#unfinished + piece.slice(start, end));
      this.#unfinished = "";
      start = end + 1;
    }
    this.#unfinished += piece.slice(start);
  }

  /** Ends the text. @throws {PatchSyntaxError} */
  finish(): Patch {
    this.push("\n");
    if (this.#at === "failed" || this.#at === "heredoc") throw syntax.firstLine();
    while (isBlank(this.#held.at(-1) ?? "x")) this.#held.pop();
    if (this.#closing === 2) this.#dropHeredocEnd();
    if (trim(this.#held.at(-1) ?? "") !== markers.END) throw syntax.lastLine();
    if (this.#failure) throw this.#failure;
    return this.#reader.end();
  }

  #dropHeredocEnd(): void {
    const last = this.#held.pop() ?? "";
    if (!trimEnd(last).endsWith("EOF") || this.#held.length === 0) throw syntax.firstLine();
  }

  #take(raw: string): void {
    const line = withoutReturn(raw);
    if (this.#at === "body") this.#hold(withoutReturn(line));
    else if (this.#at === "heredoc") this.#begin(line);
    else if (this.#at === "start" && !isBlank(line)) this.#start(trimStart(line));
  }

  #start(line: string): void {
    const heredoc = HEREDOCS.includes(line);
    if (heredoc) this.#at = "heredoc";
    if (heredoc) this.#closing = 2;
    else this.#begin(line);
  }

  #begin(line: string): void {
    this.#at = trim(line) === markers.BEGIN ? "body" : "failed";
  }

  #hold(line: string): void {
    this.#held.push(line);
    if (isBlank(line)) return;
    for (const certain of this.#held.splice(0, this.#held.length - this.#closing)) {
      this.#read(certain);
    }
  }

  #read(line: string): void {
    if (this.#failure) return;
    try {
      this.#reader.read(line);
    } catch (error) {
      this.#failure = asError(error);
    }
  }
}

/** The patch that a text holds. @throws {PatchSyntaxError} */
export function parsePatch(text: string): Patch {
  const stream = new PatchStream();
  stream.push(text);
  return stream.finish();
}

/** The same; null when it holds none. */
export function patchOrNull(text: string): Patch | null {
  try {
    return parsePatch(text);
  } catch (error) {
    if (error instanceof PatchSyntaxError) return null;
    throw error;
  }
}

/** The body's lines lose two carriage returns, the line that opens a heredoc one. */
function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

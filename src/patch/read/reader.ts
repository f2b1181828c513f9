import type { Operation, Patch } from "../operation.ts";
import * as markers from "./markers.ts";
import { syntax } from "./syntax.ts";
import { UpdateReader } from "./update-reader.ts";
import { isBlank, trim } from "./white-space.ts";

type State =
  | { readonly at: "begin" | "header" | "end" }
  | { readonly at: "add"; readonly lines: string[] }
  | { readonly at: "update"; readonly update: UpdateReader };

/** Reads a patch line by line, from the line after the one that begins it. */
export class PatchReader {
  #state: State = { at: "begin" };
  #line = 1;
  #environment: string | null = null;
  readonly #operations: Operation[] = [];

  /** What was read so far; the last operation may still grow. */
  get patch(): Patch {
    return { environment: this.#environment, operations: this.#operations };
  }

  /** Reads a line that is not the patch's last one. @throws {PatchSyntaxError} */
  read(line: string): void {
    this.#line++;
    const state = this.#state;
    if (state.at === "end") {
      if (!isBlank(line)) throw syntax.lastLine();
    } else if (state.at === "update") {
      if (!state.update.take(line, this.#line)) this.#readHeader(line);
    } else if (state.at === "add" && line.startsWith("+")) {
      state.lines.push(line.slice(1));
    } else if (state.at !== "begin" || !this.#readEnvironment(line)) {
      this.#readHeader(line);
    }
  }

  /** Ends the patch at its last line, known to be the end marker. @throws {PatchSyntaxError} */
  end(): Patch {
    this.#line++;
    if (this.#state.at === "update") this.#state.update.end(this.#line);
    this.#state = { at: "end" };
    return this.patch;
  }

  #readEnvironment(line: string): boolean {
    const id = markers.environment(trim(line));
    if (id === null) return false;
    if (this.#environment !== null) throw syntax.environmentTwice();
    if (id === "") throw syntax.environmentEmpty();
    this.#environment = id;
    return true;
  }

  #readHeader(line: string): void {
    const marker = trim(line);
    const header = markers.header(marker);
    if (header) this.#state = this.#open(header);
    else if (marker === markers.END) this.#state = { at: "end" };
    else throw syntax.header(this.#line, marker);
  }

  #open({ kind, path }: markers.Header): State {
    if (kind === "update") {
      const update = new UpdateReader(path, this.#line);
      this.#operations.push(update.operation);
      return { at: "update", update };
    }
    if (kind === "delete") {
      this.#operations.push({ kind, path });
      return { at: "header" };
    }
    const lines: string[] = [];
    this.#operations.push({ kind, path, lines });
    return { at: "add", lines };
  }
}

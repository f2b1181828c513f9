import { isUtf8 } from "node:buffer";
import { relative } from "node:path";
import type { PatchChange } from "../../contract/patch.ts";
import type { Edit } from "../match/edit.ts";
import { type DiffNames, unifiedDiff } from "./diff.ts";

/** The longest diff of one file, in bytes; a longer one is left out. */
export const MAX_DIFF_BYTES = 4_194_304;

/** All diffs of one patch together, in bytes. */
const MAX_DIFFS_BYTES = 16_777_216;

/** Old bytes and what becomes of them; or why they are not at hand. */
export type Rewrite =
  | { readonly bytes: Buffer; readonly edits: readonly Edit[] }
  | NonNullable<PatchChange["diff_omitted"]>;

/** A change whose diff is still to be made. */
export type UndiffedChange = Omit<PatchChange, "diff" | "diff_omitted"> & {
  readonly rewrite: Rewrite;
};

/** What a patch has done so far, file by file. It stands even when the patch fails later. */
export class Delta {
  readonly changes: PatchChange[] = [];
  readonly #cwd: string;
  #left = MAX_DIFFS_BYTES;

  /** @param cwd diffs name files below it from there, others absolutely */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  record({ rewrite, ...change }: UndiffedChange): void {
    const diff = this.#diff(rewrite, this.#names(change));
    this.#left -= Buffer.byteLength(diff.diff ?? "");
    this.changes.push({ ...change, ...diff });
  }

  #diff(rewrite: Rewrite, names: DiffNames): Pick<PatchChange, "diff" | "diff_omitted"> {
    if (typeof rewrite === "string") return { diff: null, diff_omitted: rewrite };
    const { bytes, edits } = rewrite;
    const isText = [bytes, ...edits.map((edit) => edit.text)].every((text) => isUtf8(text));
    if (!isText) return { diff: null, diff_omitted: "not-text" };
    const diff = unifiedDiff(names, bytes, edits, Math.min(this.#left, MAX_DIFF_BYTES));
    return { diff, diff_omitted: diff === null ? "too-large" : null };
  }

  #names({ before, after, path, destination }: Omit<UndiffedChange, "rewrite">): DiffNames {
    return {
      old: before && this.#name(path),
      new: after && this.#name(destination ?? path),
    };
  }

  #name(path: string): string {
    const below = relative(this.#cwd, path);
    return below.startsWith("../") || below === ".." ? path.slice(1) : below;
  }
}

import type { PatchChange, PatchContent, PatchOptions } from "../../contract/patch.ts";
import type { RunContext } from "../context.ts";
import { Delta, type Rewrite, type UndiffedChange } from "../diff/delta.ts";
import { PatchApplyError } from "../failure.ts";
import type { Content, PatchFiles } from "../files/port.ts";
import { contentOf, lookAt, type Seen, unchanged } from "../files/seen.ts";
import { resolvePath } from "./path.ts";
import { put } from "./put.ts";

/** A file to be written, and what was there before. */
export type Writing = {
  readonly path: string;
  readonly before: Seen;
  readonly content: Content;
  readonly mode?: number;
};

/** One application of a patch: the files it works on, and the record of what became of them. */
export class Run {
  readonly files: PatchFiles;
  readonly options: PatchOptions;
  readonly #cwd: string;
  readonly #delta: Delta;

  constructor({ files, cwd, options }: RunContext) {
    this.files = files;
    this.options = options;
    this.#cwd = cwd;
    this.#delta = new Delta(cwd);
  }

  get changes(): PatchChange[] {
    return this.#delta.changes;
  }

  /** @throws {PatchApplyError} */
  resolve(written: string): string {
    return resolvePath(this.#cwd, written);
  }

  record(
    change: Pick<UndiffedChange, "kind" | "path" | "rewrite"> & Partial<UndiffedChange>,
  ): void {
    this.#delta.record({ ...UNCHANGED, ...change });
  }

  /**
   * Refuses to replace anything, when that was asked for.
   * @throws {PatchApplyError}
   */
  async expectFree(path: string): Promise<void> {
    if (this.options.overwrite || !(await exists(this.files, path))) return;
    const message = `Failed to write file ${path}: it exists, and overwriting is switched off`;
    throw new PatchApplyError(message, path, { rule: "patch-overwrite" });
  }

  /**
   * Writes a file. When that breaks off, the old content is put back, unless the original's faults
   * are wanted; what damage remains is recorded.
   * @throws {PatchApplyError}
   */
  async write({ path, before, content, mode }: Writing): Promise<PatchContent> {
    try {
      await put(this.files, path, content, mode);
    } catch (error) {
      await this.#afterFailure(path, before);
      throw error;
    }
    return contentOf(content);
  }

  async #afterFailure(path: string, before: Seen): Promise<void> {
    let now = await lookAt(this.files, path);
    if (unchanged(before, now)) return;
    if (!this.options.compat) {
      await putBack(this.files, path, before).catch(() => {});
      now = await lookAt(this.files, path);
    }
    if (unchanged(before, now)) return;
    const kind = before.stat ? "update" : "add";
    const contents = { before: before.content, after: now.content };
    const rewrite = replaced(before, now.bytes ?? Buffer.alloc(0));
    this.record({ kind, path, ...contents, exact: false, rewrite });
  }
}

const UNCHANGED: Omit<PatchChange, "kind" | "path" | "diff" | "diff_omitted"> = {
  destination: null,
  before: null,
  after: null,
  overwritten: null,
  exact: true,
  matched: [],
  not_kept: [],
};

/** All of a file gives way to a text. */
export function replaced(before: Seen, text: Buffer): Rewrite {
  if (before.stat && !before.content) return "not-readable";
  if (before.content && !before.bytes) return "too-large";
  const bytes = before.bytes ?? Buffer.alloc(0);
  return { bytes, edits: [{ start: 0, end: bytes.length, text }] };
}

async function exists(files: PatchFiles, path: string): Promise<boolean> {
  return files.lstat(path).then(
    () => true,
    () => false,
  );
}

async function putBack(files: PatchFiles, path: string, { stat, bytes }: Seen): Promise<void> {
  if (!stat) await files.remove(path);
  else if (bytes) await files.write(path, () => [bytes], stat.mode);
}

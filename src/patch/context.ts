import type { PatchOptions } from "../contract/patch.ts";
import type { DurableFiles, PatchFiles } from "./files/port.ts";

/** Where and how a patch is applied. */
export type RunContext = {
  readonly files: PatchFiles;
  /** Absolute; relative paths of the patch start here. */
  readonly cwd: string;
  readonly options: PatchOptions;
  /** Stops the patch before its next file. */
  readonly signal?: AbortSignal;
};

export type ApplyContext = RunContext & {
  readonly files: DurableFiles;
  /**
   * The folder where atomic patches note what to undo after a crash, for `recoverPatches`. Without
   * it, atomic patches are refused.
   */
  readonly journal?: string;
};

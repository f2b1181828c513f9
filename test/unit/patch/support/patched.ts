import type { z } from "zod";
import type { PatchChange, PatchOptions } from "../../../../src/contract/patch.ts";
import { applyPatch } from "../../../../src/patch/apply/apply.ts";
import { parsePatch } from "../../../../src/patch/read/stream.ts";
import { contextIn } from "./context.ts";
import { plant, type Tree, temporaryFolder, treeOf } from "./tree.ts";

type Cleaning = { after(fn: () => Promise<void>): void };

export type Patched = {
  /** What is left. */
  readonly tree: Tree;
  /** Null: the patch was applied. The working directory is written `CWD`. */
  readonly failure: string | null;
  readonly changes: readonly PatchChange[];
  readonly cwd: string;
};

/** The lines of a patch, between its first and last. */
export function patchOf(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}

/** Applies a patch to a few files in a folder of their own. */
export async function patched(
  t: Cleaning,
  tree: Tree,
  patch: string,
  options: z.input<typeof PatchOptions> = {},
): Promise<Patched> {
  const cwd = await temporaryFolder(t);
  await plant(cwd, tree);
  return patchedIn(cwd, patch, options);
}

/** Applies a patch to what a folder holds. */
export async function patchedIn(
  cwd: string,
  patch: string,
  options: z.input<typeof PatchOptions> = {},
): Promise<Patched> {
  const { changes, failure } = await applyPatch(parsePatch(patch), contextIn(cwd, options));
  const message = failure?.message.replaceAll(cwd, "CWD") ?? null;
  return { tree: await treeOf(cwd), failure: message, changes, cwd };
}

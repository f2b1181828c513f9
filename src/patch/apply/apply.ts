import type { ApplyContext } from "../context.ts";
import { StagedFiles } from "../files/staged-files.ts";
import type { Patch } from "../operation.ts";
import { applyAtomically } from "./apply-atomically.ts";
import { operate, type PatchOutcome } from "./operate.ts";

/** Applies a patch as its options say. What was changed is said even if it fails. Never rejects. */
export async function applyPatch(patch: Patch, context: ApplyContext): Promise<PatchOutcome> {
  const { options } = context;
  if (options.dry_run) return rehearse(patch, context);
  if (options.atomic) return applyAtomically(patch, context);
  if (!options.overwrite) {
    const { failure } = await rehearse(patch, context);
    if (failure) return { changes: [], failure };
  }
  return operate(patch, context);
}

/** All of a patch, on files that only remember it. */
function rehearse(patch: Patch, context: ApplyContext): Promise<PatchOutcome> {
  return operate(patch, { ...context, files: new StagedFiles(context.files) });
}

import type { PatchContent } from "../../contract/patch.ts";
import { lookAt, type Seen, seenBytes } from "../files/seen.ts";
import { edited } from "../match/edit.ts";
import type { UpdateFile } from "../operation.ts";
import { removeFile } from "./delete-file.ts";
import { lost } from "./lost.ts";
import { planUpdate, type UpdatePlan } from "./plan-update.ts";
import { type Run, replaced } from "./run.ts";
import { sameEntry } from "./same-entry.ts";

/** Rewrites a file where it is, or at its destination. @throws {PatchApplyError} */
export async function updateFile(run: Run, operation: UpdateFile): Promise<void> {
  const path = run.resolve(operation.path);
  const plan = await planUpdate(run.files, path, operation, run.options);
  if (operation.destination === null) return rewrite(run, path, plan);
  const destination = run.resolve(operation.destination);
  const onto = await sameEntry(run.files, path, destination);
  if (!onto) return move(run, path, destination, plan);
  if (run.options.compat) return loseFile(run, path, destination, plan);
  return rewrite(run, path, plan);
}

async function rewrite(run: Run, path: string, plan: UpdatePlan): Promise<void> {
  const { bytes, edits, matched } = plan;
  const before = seenBytes(plan.stat, bytes);
  const after = await run.write({ path, before, content: () => edited(bytes, edits) });
  const contents = { before: before.content, after };
  run.record({ kind: "update", path, ...contents, matched, rewrite: { bytes, edits } });
}

async function move(run: Run, path: string, destination: string, plan: UpdatePlan): Promise<void> {
  const { stat, bytes, edits, matched } = plan;
  await run.expectFree(destination);
  const old = await lookAt(run.files, destination);
  const mode = run.options.compat ? {} : { mode: stat.mode & 0o777 };
  const content = () => edited(bytes, edits);
  const after = await run.write({ path: destination, before: old, content, ...mode });
  const written = await run.files.stat(destination).catch(() => stat);
  const exact = !old.stat || old.content !== null;
  const contents = { before: seenBytes(stat, bytes).content, after, overwritten: old.content };
  await removeOriginal(run, path, () => recordCopy(run, destination, old, content, after));
  run.record({
    kind: "move",
    path,
    destination,
    ...contents,
    exact,
    matched,
    not_kept: lost(stat, written),
    rewrite: { bytes, edits },
  });
}

/** When the original cannot be removed, the destination was written all the same. */
async function removeOriginal(run: Run, path: string, onFailure: () => void): Promise<void> {
  try {
    await removeFile(run.files, path, "Failed to remove original");
  } catch (error) {
    onFailure();
    throw error;
  }
}

function recordCopy(
  run: Run,
  path: string,
  old: Seen,
  content: () => Iterable<Uint8Array>,
  after: PatchContent,
): void {
  const kind = old.stat ? "update" : "add";
  const exact = !old.stat || old.content !== null;
  const rewrite = replaced(old, Buffer.concat([...content()]));
  run.record({ kind, path, before: old.content, after, exact, rewrite });
}

/** What the original does to a file that is moved onto itself: written, then removed. */
async function loseFile(
  run: Run,
  path: string,
  destination: string,
  { stat, bytes, edits }: UpdatePlan,
): Promise<void> {
  const before = seenBytes(stat, bytes);
  await run.write({ path: destination, before, content: () => edited(bytes, edits) });
  await removeFile(run.files, path, "Failed to remove original");
  const rewrite = replaced(before, Buffer.alloc(0));
  run.record({ kind: "delete", path, before: before.content, rewrite });
}

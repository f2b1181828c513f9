import { statOrNull } from "../files/locate.ts";
import type { DurableFiles, FileStat } from "../files/port.ts";
import type { Journal, JournalStep } from "./journal.ts";

/** A file that somebody else changed meanwhile: left as it is, its old content under `saved`. */
export type UndoConflict = { readonly path: string; readonly saved: string };

/**
 * Brings back what a patch found, however far it came; doing so twice does no harm. Only what is
 * still as the patch left it is undone.
 */
export async function undo(journal: Journal, files: DurableFiles): Promise<UndoConflict[]> {
  const conflicts: UndoConflict[] = [];
  const steps = journal.steps.toReversed();
  for (const step of steps.filter((one) => one.fresh !== null)) {
    conflicts.push(...(await undoStep(step, files)));
  }
  for (const folder of journal.folders.toReversed()) {
    await files.removeFolder(folder).catch(() => {});
  }
  for (const step of steps.filter((one) => one.fresh === null)) {
    conflicts.push(...(await undoStep(step, files)));
  }
  return conflicts;
}

async function undoStep(step: JournalStep, files: DurableFiles): Promise<UndoConflict[]> {
  const { path, fresh, saved } = step;
  const now = await statOrNull(files, path);
  const old = saved === null ? null : await statOrNull(files, saved);
  const waiting = fresh !== null && (await statOrNull(files, fresh)) !== null;
  if (waiting) await files.remove(fresh);
  if (saved === null && !waiting && (await isOurs(step, now, files))) await files.remove(path);
  if (saved === null || !old) return [];
  if (now && (await isOld(step, now, old, files))) await files.remove(saved);
  else if (!now || (await isOurs(step, now, files))) await files.rename(saved, path);
  else return [{ path, saved }];
  return [];
}

async function isOurs(
  { path, sha256 }: JournalStep,
  now: FileStat | null,
  files: DurableFiles,
): Promise<boolean> {
  return now?.kind === "file" && sha256 !== null && (await files.digest(path)) === sha256;
}

/** What was saved is another name of the file, or a copy where names cannot be shared. */
async function isOld(
  { path, saved }: JournalStep,
  now: FileStat,
  old: FileStat,
  files: DurableFiles,
): Promise<boolean> {
  if (now.identity === old.identity) return true;
  if (now.kind !== "file" || old.kind !== "file" || saved === null) return false;
  return (await files.digest(path)) === (await files.digest(saved));
}

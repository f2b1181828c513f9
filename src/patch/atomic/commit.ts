import { randomBytes } from "node:crypto";
import { PatchApplyError } from "../failure.ts";
import { ignoreMissing } from "../files/locate.ts";
import type { DurableFiles } from "../files/port.ts";
import type { StagedFiles } from "../files/staged-files.ts";
import { exchange, prepare } from "./exchange.ts";
import { inParallel } from "./in-parallel.ts";
import type { Journal, JournalFolder } from "./journal.ts";
import { foldersOf, journalStep, stepsOf } from "./step.ts";
import { undo } from "./undo.ts";

/**
 * Makes staged changes real, all or none. New contents are written beside their targets and old
 * ones get a second name; then the names are exchanged. A journal says what to undo when that
 * breaks off, here or in a crash.
 * @throws nothing has changed then, or the error says what could not be undone
 */
export async function commit(
  staged: StagedFiles,
  files: DurableFiles,
  journals: JournalFolder,
): Promise<void> {
  const id = randomBytes(8).toString("hex");
  const steps = stepsOf(staged, id);
  const folders = foldersOf(staged);
  const journal = { id, folders, steps: steps.map(journalStep) };
  try {
    await journals.open(journal);
    await prepare(steps, files);
    await exchange(steps, folders, files);
    await journals.markDone(journal);
  } catch (error) {
    await rollBack(journal, files, journals, error);
    throw error;
  }
  // The patch has happened: what cannot be cleared away now is left to recovery.
  await finish(journal, files, journals).catch(() => {});
}

/** Removes what a patch that has happened leaves behind. */
export async function finish(
  journal: Journal,
  files: DurableFiles,
  journals: JournalFolder,
): Promise<void> {
  const leavings = journal.steps.flatMap(({ saved, fresh }) => [saved, fresh]);
  await inParallel(leavings, async (path) => {
    if (path !== null) await files.remove(path).catch(ignoreMissing);
  });
  await journals.close(journal);
}

/** @throws {PatchApplyError} when something was changed by others meanwhile, or cannot be undone */
async function rollBack(
  journal: Journal,
  files: DurableFiles,
  journals: JournalFolder,
  cause: unknown,
): Promise<void> {
  const conflicts = await undo(journal, files).catch((error) => {
    const message = `The patch failed and could not be undone; journal ${journal.id} is left`;
    throw new PatchApplyError(message, "", { rule: "patch-atomic", cause: error });
  });
  await journals.close(journal);
  const [first] = conflicts;
  if (!first) return;
  const message = `${first.path} was changed by others while the patch was undone; its content from before is ${first.saved}`;
  throw new PatchApplyError(message, first.path, { rule: "patch-atomic", cause });
}

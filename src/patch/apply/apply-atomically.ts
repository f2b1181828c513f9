import type { PatchChange } from "../../contract/patch.ts";
import { OutworkError } from "../../errors.ts";
import { commit } from "../atomic/commit.ts";
import { JournalFolder } from "../atomic/journal.ts";
import type { ApplyContext } from "../context.ts";
import type { DurableFiles } from "../files/port.ts";
import { StagedFiles } from "../files/staged-files.ts";
import type { Patch } from "../operation.ts";
import { lost } from "./lost.ts";
import { asOutworkError, operate, type PatchOutcome } from "./operate.ts";

/** Applies all of a patch or nothing. Never rejects. */
export async function applyAtomically(patch: Patch, context: ApplyContext): Promise<PatchOutcome> {
  const { files, journal } = context;
  if (journal === undefined) return { changes: [], failure: noJournal() };
  const staged = new StagedFiles(files);
  const { changes, failure } = await operate(patch, { ...context, files: staged });
  if (failure) return { changes: [], failure };
  try {
    await commit(staged, files, new JournalFolder(files, journal));
  } catch (error) {
    return { changes: [], failure: asOutworkError(error) };
  }
  const kept = changes.map((change) => withLosses(change, staged, files));
  return { changes: await Promise.all(kept), failure: null };
}

function noJournal(): OutworkError {
  const message = "An atomic patch needs a folder for its journal, and none is set up here";
  return new OutworkError("enforcement-missing", message, { facts: { mechanism: "journal" } });
}

/** An updated file is a new inode, which may lack what the old one had. */
async function withLosses(
  change: PatchChange,
  staged: StagedFiles,
  files: DurableFiles,
): Promise<PatchChange> {
  if (change.kind !== "update" && change.kind !== "add") return change;
  const { path } = await staged.locate(change.path, "follow");
  const found = staged.found.get(path);
  if (found?.kind !== "file") return change;
  const now = await files.stat(path).catch(() => found);
  return { ...change, not_kept: lost(found, now) };
}

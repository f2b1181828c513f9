import type { DurableFiles } from "../files/port.ts";
import { finish } from "./commit.ts";
import { JournalFolder } from "./journal.ts";
import { type UndoConflict, undo } from "./undo.ts";

/** What became of an atomic patch that a crash interrupted. */
export type Recovered = {
  readonly id: string;
  readonly outcome: "undone" | "finished";
  readonly conflicts: readonly UndoConflict[];
};

/**
 * Ends atomic patches that a crash interrupted: each has happened wholly or not at all afterwards.
 * To be called while no patch uses the journal folder, and with no more rights than the patches
 * had: whoever can write there decides what is done here.
 */
export async function recoverPatches(files: DurableFiles, folder: string): Promise<Recovered[]> {
  const journals = new JournalFolder(files, folder);
  const recovered: Recovered[] = [];
  for (const { id, done, journal } of await journals.left()) {
    let conflicts: UndoConflict[] = [];
    if (journal && done) await finish(journal, files, journals);
    else if (journal) conflicts = await undo(journal, files);
    await journals.close({ id });
    recovered.push({ id, outcome: done ? "finished" : "undone", conflicts });
  }
  return recovered;
}

import { posix } from "node:path";
import type { FileStat } from "../files/port.ts";
import { contentOf } from "../files/seen.ts";
import type { Staged, StagedFiles } from "../files/staged-files.ts";
import type { JournalStep } from "./journal.ts";

/** One file that an atomic patch changes. `fresh` and `saved` are as in the journal. */
export type Step = {
  readonly path: string;
  /** What the file becomes; null: it goes. */
  readonly file: Extract<Staged, { kind: "file" }> | null;
  /** What was there when the patch first looked; null: nothing. */
  readonly found: FileStat | null;
  readonly fresh: string | null;
  readonly saved: string | null;
};

export function stepsOf(staged: StagedFiles, id: string): Step[] {
  const steps: Step[] = [];
  for (const [path, entry] of staged.staged) {
    const found = staged.found.get(path) ?? null;
    const file = entry.kind === "file" ? entry : null;
    if (!file && !found) continue;
    const beside = `${nearestFolder(staged, path)}/.outwork-${id}-${steps.length}`;
    const fresh = file && `${beside}-new`;
    steps.push({ path, file, found, fresh, saved: found && `${beside}-old` });
  }
  return steps;
}

/** Folders to be made, outer ones first. */
export function foldersOf(staged: StagedFiles): string[] {
  return [...staged.staged].filter(([, { kind }]) => kind === "folder").map(([path]) => path);
}

export function journalStep({ path, file, fresh, saved }: Step): JournalStep {
  return { path, fresh, sha256: file && contentOf(file.content).sha256, saved };
}

/** A folder on the way to a path that is there before the patch. */
function nearestFolder(staged: StagedFiles, path: string): string {
  const folder = posix.dirname(path);
  const isNew = staged.staged.get(folder)?.kind === "folder";
  return isNew ? nearestFolder(staged, folder) : folder === "/" ? "" : folder;
}

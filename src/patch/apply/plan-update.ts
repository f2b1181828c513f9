import type { PatchMatch, PatchOptions } from "../../contract/patch.ts";
import { PatchApplyError } from "../failure.ts";
import type { FileStat, PatchFiles } from "../files/port.ts";
import { reasonOf } from "../files/reason.ts";
import { type Edit, editsOf, withLineFeeds } from "../match/edit.ts";
import { LineTable } from "../match/line-table.ts";
import { type Placement, placeChunks } from "../match/place.ts";
import { utf8Fault } from "../match/utf8.ts";
import type { UpdateFile } from "../operation.ts";

/** A file as it is, and what an update makes of it. */
export type UpdatePlan = {
  readonly stat: FileStat;
  readonly bytes: Buffer;
  readonly edits: readonly Edit[];
  readonly matched: PatchMatch[];
};

/**
 * Places an update's chunks in the file as it is now.
 * @throws {PatchApplyError}
 */
export async function planUpdate(
  files: PatchFiles,
  path: string,
  operation: UpdateFile,
  options: Pick<PatchOptions, "line_endings">,
): Promise<UpdatePlan> {
  const { stat, bytes } = await readText(files, path, "Failed to read file to update");
  const table = new LineTable(bytes);
  const placements = placeChunks(table, operation.chunks, path);
  const edits = editsOf(table, placements);
  const wanted = options.line_endings === "lf" ? withLineFeeds(table, edits) : edits;
  return { stat, bytes: table.bytes, edits: wanted, matched: uncertain(placements) };
}

/**
 * The text of a file.
 * @param failing opens the message of what is thrown
 * @throws {PatchApplyError} it is missing, not a file, not readable or not UTF-8
 */
export async function readText(
  files: PatchFiles,
  path: string,
  failing: string,
): Promise<{ stat: FileStat; bytes: Uint8Array }> {
  const refuse = (reason: string, cause?: unknown) =>
    new PatchApplyError(`${failing} ${path}: ${reason}`, path, { rule: "patch-read", cause });
  try {
    const stat = await files.stat(path);
    if (stat.kind !== "file") throw refuse(`path \`${path}\` is not a file`);
    const bytes = await files.read(path);
    const fault = utf8Fault(bytes);
    if (fault !== null) throw refuse(fault);
    return { stat, bytes };
  } catch (error) {
    throw error instanceof PatchApplyError ? error : refuse(reasonOf(error), error);
  }
}

function uncertain(placements: readonly Placement[]): PatchMatch[] {
  return placements.flatMap(({ match }, index) => {
    if (!match || (match.stage === 1 && match.candidates === 1)) return [];
    const { at, stage, candidates } = match;
    return [{ chunk: index + 1, line: at + 1, stage, candidates }];
  });
}

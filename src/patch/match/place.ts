import { PatchApplyError } from "../failure.ts";
import { type Chunk, type ChunkLine, oldLines } from "../operation.ts";
import type { LineTable } from "./line-table.ts";
import { type Match, Matcher } from "./matcher.ts";
import { withoutLastBlank } from "./shorten.ts";

/** A chunk and the line, from 0, at which its lines begin. */
export type Placement = {
  readonly at: number;
  readonly lines: readonly ChunkLine[];
  /** How the place was found; null for lines appended without looking for any. */
  readonly match: Match | null;
};

/** A chunk with the runs of lines that placing it may look for. */
type Search = {
  readonly chunk: Chunk;
  readonly header: readonly string[] | null;
  readonly old: readonly string[];
  /** The chunk without the last of its old lines, when that one is blank; null otherwise. */
  readonly shorter: {
    readonly lines: readonly ChunkLine[];
    readonly old: readonly string[];
  } | null;
};

/**
 * Finds the place of every chunk, in order; each is looked for below the one before.
 * @param path named in what is thrown
 * @throws {PatchApplyError} a header, or a chunk's lines, are not in the file
 */
export function placeChunks(table: LineTable, chunks: readonly Chunk[], path: string): Placement[] {
  const searches = chunks.map(searchFor);
  const matcher = new Matcher(table, searches.flatMap(patternsOf));
  const placements: Placement[] = [];
  let cursor = 0;
  for (const search of searches) {
    if (search.header) cursor = belowHeader(matcher, search.header, cursor, path);
    const placement = place(table, matcher, search, cursor);
    if (!placement) throw linesMissing(search.old, path);
    placements.push(placement);
    if (search.old.length > 0) cursor = placement.at + oldCount(placement.lines);
  }
  return placements;
}

function searchFor(chunk: Chunk): Search {
  const header = chunk.header === null ? null : [chunk.header];
  const lines = withoutLastBlank(chunk.lines);
  const shorter = lines && { lines, old: oldLines(lines) };
  return { chunk, header, old: oldLines(chunk.lines), shorter };
}

function patternsOf({ header, old, shorter }: Search): (readonly string[])[] {
  return [header ?? [], old, shorter?.old ?? []].filter((pattern) => pattern.length > 0);
}

function belowHeader(
  matcher: Matcher,
  header: readonly string[],
  cursor: number,
  path: string,
): number {
  const found = matcher.find(header, cursor);
  if (found) return found.at + 1;
  throw new PatchApplyError(`Failed to find context '${header[0]}' in ${path}`, path, {
    rule: "patch-context",
  });
}

function linesMissing(old: readonly string[], path: string): PatchApplyError {
  const message = `Failed to find expected lines in ${path}:\n${old.join("\n")}`;
  return new PatchApplyError(message, path, { rule: "patch-context" });
}

function place(
  table: LineTable,
  matcher: Matcher,
  { chunk, old, shorter }: Search,
  cursor: number,
): Placement | null {
  if (old.length === 0) return { at: table.count, lines: chunk.lines, match: null };
  const match = findRun(matcher, old, chunk.final, cursor);
  if (match) return { at: match.at, lines: chunk.lines, match };
  if (!shorter) return null;
  if (shorter.old.length === 0) return { at: cursor, lines: shorter.lines, match: null };
  const loose = findRun(matcher, shorter.old, chunk.final, cursor);
  return loose && { at: loose.at, lines: shorter.lines, match: loose };
}

function findRun(matcher: Matcher, old: readonly string[], final: boolean, from: number) {
  return final ? matcher.findFinal(old, from) : matcher.find(old, from);
}

function oldCount(lines: readonly ChunkLine[]): number {
  return lines.reduce((count, line) => count + (line.kind === "add" ? 0 : 1), 0);
}

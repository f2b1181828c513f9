import type { Edit } from "../match/edit.ts";
import { LF, type Region, regionsOf } from "./region.ts";

const CONTEXT_LINES = 3;
const NO_NEWLINE = "\\ No newline at end of file";

/** The files of a diff; null where there is none. */
export type DiffNames = { readonly old: string | null; readonly new: string | null };

/**
 * A unified diff of a file and its edits; empty when they change nothing.
 * @returns null when it would be longer than `limit` bytes
 */
export function unifiedDiff(
  names: DiffNames,
  bytes: Buffer,
  edits: readonly Edit[],
  limit: number,
): string | null {
  const regions = regionsOf(bytes, edits);
  if (sizeOf(regions) > limit) return null;
  const lines: string[] = [];
  let size = 0;
  for (const line of diffLines(names, bytes, regions)) {
    size += Buffer.byteLength(line) + 1;
    if (size > limit) return null;
    lines.push(line);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function sizeOf(regions: readonly Region[]): number {
  return regions.reduce((sum, { start, end, text }) => sum + end - start + text.length, 0);
}

function* diffLines(names: DiffNames, bytes: Buffer, regions: Region[]): Generator<string> {
  if (regions.length === 0 && names.old !== null && names.new !== null) return;
  yield `--- ${names.old === null ? "/dev/null" : `a/${names.old}`}`;
  yield `+++ ${names.new === null ? "/dev/null" : `b/${names.new}`}`;
  const place = { offset: 0, oldLine: 1, newLine: 1 };
  for (const hunk of hunksOf(bytes, regions)) yield* hunkLines(bytes, hunk, place);
}

type Hunk = { start: number; end: number; regions: Region[] };

/** Regions with the lines around them; together where those would meet. */
function hunksOf(bytes: Buffer, regions: readonly Region[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const region of regions) {
    const start = linesBefore(bytes, region.start);
    const end = linesAfter(bytes, region.end);
    const last = hunks.at(-1);
    if (last && start <= last.end) {
      last.regions.push(region);
      last.end = end;
    } else hunks.push({ start, end, regions: [region] });
  }
  return hunks;
}

type Place = { offset: number; oldLine: number; newLine: number };

function* hunkLines(bytes: Buffer, hunk: Hunk, place: Place): Generator<string> {
  const skipped = newlines(bytes.subarray(place.offset, hunk.start));
  const body = hunkBody(bytes, hunk);
  const counted = { old: count(body, "-"), new: count(body, "+") };
  const from = { old: place.oldLine + skipped, new: place.newLine + skipped };
  yield `@@ -${range(from.old, counted.old)} +${range(from.new, counted.new)} @@`;
  yield* body;
  place.offset = hunk.end;
  place.oldLine = from.old + counted.old;
  place.newLine = from.new + counted.new;
}

function hunkBody(bytes: Buffer, hunk: Hunk): string[] {
  const parts: string[][] = [];
  let at = hunk.start;
  for (const region of hunk.regions) {
    parts.push(signed(" ", bytes.subarray(at, region.start)));
    parts.push(signed("-", bytes.subarray(region.start, region.end)));
    parts.push(signed("+", region.text));
    at = region.end;
  }
  return [...parts, signed(" ", bytes.subarray(at, hunk.end))].flat();
}

function count(body: readonly string[], sign: "-" | "+"): number {
  return body.filter((line) => line[0] === sign || line[0] === " ").length;
}

/** A range of no lines names the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function signed(sign: string, bytes: Buffer): string[] {
  if (bytes.length === 0) return [];
  const lines = bytes.toString().split("\n");
  const terminated = lines.at(-1) === "";
  if (terminated) lines.pop();
  const marked = lines.map((line) => sign + line);
  return terminated ? marked : [...marked, NO_NEWLINE];
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

function linesBefore(bytes: Buffer, start: number): number {
  let at = start;
  for (let line = 0; line < CONTEXT_LINES && at > 0; line++) {
    at = at < 2 ? 0 : bytes.lastIndexOf(LF, at - 2) + 1;
  }
  return at;
}

function linesAfter(bytes: Buffer, end: number): number {
  let at = end;
  for (let line = 0; line < CONTEXT_LINES && at < bytes.length; line++) {
    const newline = bytes.indexOf(LF, at);
    at = newline < 0 ? bytes.length : newline + 1;
  }
  return at;
}

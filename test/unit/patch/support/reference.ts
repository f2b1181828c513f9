import type { Chunk } from "../../../../src/patch/operation.ts";
import { trim, trimEnd } from "../../../../src/patch/read/white-space.ts";

/** Where a chunk goes, and how many of the file's lines it stands for; null: nowhere. */
export type Place = { readonly at: number; readonly lines: number } | null;

/** The rules of placing chunks, spelled out without any regard for time. */
export function placesOf(file: readonly string[], chunks: readonly Chunk[]): Place[] {
  const places: Place[] = [];
  let cursor = 0;
  for (const chunk of chunks) {
    const start = chunk.header === null ? cursor : below(file, chunk.header, cursor);
    const place = start === null ? null : placeOf(file, chunk, start);
    places.push(place);
    if (!place || start === null) break;
    cursor = isInsertion(chunk) ? start : place.at + place.lines;
  }
  return places;
}

function below(file: readonly string[], header: string, cursor: number): number | null {
  const at = search(file, [header], cursor, false);
  return at === null ? null : at + 1;
}

function isInsertion(chunk: Chunk): boolean {
  return chunk.lines.every((line) => line.kind === "add");
}

function placeOf(file: readonly string[], chunk: Chunk, cursor: number): Place {
  if (isInsertion(chunk)) return { at: file.length, lines: 0 };
  const old = chunk.lines.filter((line) => line.kind !== "add").map((line) => line.text);
  const tries = old.at(-1) === "" ? [old, old.slice(0, -1)] : [old];
  for (const run of tries) {
    const at = search(file, run, cursor, chunk.final);
    if (at !== null) return { at, lines: run.length };
  }
  return null;
}

const ALIKE: readonly ((a: string, b: string) => boolean)[] = [
  (a, b) => a === b,
  (a, b) => trimEnd(a) === trimEnd(b),
  (a, b) => trim(a) === trim(b),
  (a, b) => folded(a) === folded(b),
];

function search(
  file: readonly string[],
  run: readonly string[],
  cursor: number,
  final: boolean,
): number | null {
  if (run.length === 0) return cursor;
  const last = file.length - run.length;
  for (const alike of ALIKE) {
    for (let at = final ? Math.max(last, cursor) : cursor; at <= last; at++) {
      if (run.every((text, offset) => alike(text, file[at + offset] ?? ""))) return at;
    }
  }
  return null;
}

function folded(text: string): string {
  const dashes = trim(text).replace(/[‐‑‒–—―−]/g, "-");
  const quotes = dashes.replace(/[‘’‚‛]/g, "'").replace(/[“”„‟]/g, '"');
  return quotes.replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

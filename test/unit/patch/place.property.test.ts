import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PatchApplyError } from "../../../src/patch/failure.ts";
import { LineTable } from "../../../src/patch/match/line-table.ts";
import { placeChunks } from "../../../src/patch/match/place.ts";
import type { Chunk } from "../../../src/patch/operation.ts";
import { type Place, placesOf } from "./support/reference.ts";

const text = fc.constantFrom("a", "b", "", "a ", " a", "–", "-", "a\u00a0b", "a b", "\u0085");
const chunk: fc.Arbitrary<Chunk> = fc.record({
  header: fc.option(text, { freq: 4 }),
  lines: fc.array(fc.record({ kind: fc.constantFrom("context", "add", "remove"), text }), {
    minLength: 1,
    maxLength: 4,
  }),
  final: fc.boolean(),
});

test("chunks go where the rules, spelled out, put them", () => {
  const file = fc.array(text, { maxLength: 16 });
  fc.assert(
    fc.property(file, fc.array(chunk, { maxLength: 4 }), (lines, chunks) => {
      const table = new LineTable(Buffer.from(lines.map((line) => `${line}\n`).join("")));
      const expected = placesOf(lines, chunks);
      assert.deepEqual(places(table, chunks), expected.includes(null) ? null : expected);
    }),
    { numRuns: 3000 },
  );
});

test("the number of candidates is how often the lines occur in the file at that stage", () => {
  const file = fc.array(fc.constantFrom("a ", "b", " a"), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      file,
      fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 }),
      (lines, run) => {
        const table = new LineTable(Buffer.from(lines.map((line) => `${line}\n`).join("")));
        const remove = run.map((line) => ({ kind: "remove" as const, text: line }));
        const [match] = matches(table, [{ header: null, lines: remove, final: false }]);
        if (match) assert.equal(match.candidates, occurrences(lines, run, match.stage));
      },
    ),
  );
});

function places(table: LineTable, chunks: readonly Chunk[]): Place[] | null {
  const placed = matchesOrNull(table, chunks);
  if (!placed) return null;
  return placed.map(({ at, lines }) => {
    return { at, lines: lines.filter((line) => line.kind !== "add").length };
  });
}

function matches(table: LineTable, chunks: readonly Chunk[]) {
  return (matchesOrNull(table, chunks) ?? []).flatMap(({ match }) => match ?? []);
}

function matchesOrNull(table: LineTable, chunks: readonly Chunk[]) {
  try {
    return placeChunks(table, chunks, "/f");
  } catch (error) {
    if (error instanceof PatchApplyError) return null;
    throw error;
  }
}

function occurrences(lines: readonly string[], run: readonly string[], stage: number): number {
  const key = [(one: string) => one, (one: string) => one.trimEnd(), (one: string) => one.trim()];
  const compare = key[stage - 1] ?? String;
  return lines.filter((_, at) =>
    run.every((line, offset) => compare(lines[at + offset] ?? "") === compare(line)),
  ).length;
}

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { ChunkLine } from "../../../src/patch/operation.ts";
import { patchedIn } from "./support/patched.ts";
import { printPatch } from "./support/print.ts";
import { temporaryFolder, treeOf } from "./support/tree.ts";

/** What happens to one line of a file: its own text, and lines added before it. */
type Fate = { readonly keep: boolean; readonly added: readonly string[] };

const fate: fc.Arbitrary<Fate> = fc.record({
  keep: fc.boolean(),
  added: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    fc.array(fc.constantFrom("new", "", " x")),
  ),
});
const ending = fc.constantFrom("\n", "\r\n", "\r");
const body = fc.array(fc.record({ fate, ending }), { minLength: 1, maxLength: 25 });

test("a patch made from an edit makes that edit", async (t) => {
  const cwd = await temporaryFolder(t);
  await fc.assert(
    fc.asyncProperty(body, fc.boolean(), fc.nat(4), async (lines, terminated, gap) => {
      const texts = lines.map((_, at) => `line ${at}`);
      const endings = lines.map((line) => line.ending);
      const last = endings.length - 1;
      const file = texts.map((text, at) => text + (at === last && !terminated ? "" : endings[at]));
      const first = last === 0 && !terminated ? "\n" : (endings[0] ?? "\n");
      const fates = lines.map((line) => line.fate);
      await fs.writeFile(join(cwd, "f"), file.join(""));
      const { failure, tree } = await patchedIn(cwd, patchFor(texts, fates, gap));
      const kept = texts.map(
        (text, at) => text + (at === last && !terminated ? first : endings[at]),
      );
      assert.deepEqual(
        { failure, tree },
        { failure: null, tree: { f: edited(kept, fates, first) } },
      );
    }),
    { numRuns: 300 },
  );
});

test("the reported diffs lead from the old files to the new ones", async (t) => {
  const cwd = await temporaryFolder(t);
  const files = fc.sample(fc.tuple(body, fc.boolean()), { numRuns: 150, seed: 7 });
  const diffs: string[] = [];
  const olds = new Map<string, string>();
  for (const [at, [lines, terminated]] of files.entries()) {
    const name = `f${at}`;
    const texts = lines.map((_, line) => `line ${line}`);
    const text = lines.map((line, number) => texts[number] + line.ending).join("");
    const old = terminated ? text : text.replace(/(\r\n|\n|\r)$/, "");
    olds.set(name, old);
    await fs.writeFile(join(cwd, name), old);
    const patch = patchFor(
      texts,
      lines.map((line) => line.fate),
      2,
      name,
    );
    const { changes, failure } = await patchedIn(cwd, patch);
    assert.equal(failure, null);
    diffs.push(changes[0]?.diff ?? "");
  }
  const after = await treeOf(cwd);
  for (const [name, old] of olds) await fs.writeFile(join(cwd, name), old);
  const input = diffs.join("");
  const git = spawnSync("git", ["apply", "--whitespace=nowarn", "-"], {
    cwd,
    input,
    encoding: "utf8",
  });
  assert.deepEqual({ status: git.status, stderr: git.stderr }, { status: 0, stderr: "" });
  assert.deepEqual(await treeOf(cwd), after);
});

function patchFor(
  texts: readonly string[],
  fates: readonly Fate[],
  gap: number,
  path = "f",
): string {
  const lines = texts.map((text, at) => linesOf(text, fates[at]));
  const chunks: ChunkLine[][] = [[]];
  for (const [at, own] of lines.entries()) {
    const quiet = lines
      .slice(at, at + gap + 1)
      .flat()
      .every((line) => line.kind === "context");
    if (gap > 0 && quiet && chunks.at(-1)?.some((line) => line.kind !== "add")) chunks.push([]);
    chunks.at(-1)?.push(...own);
  }
  const filled = chunks.filter((chunk) => chunk.length > 0);
  const update = {
    kind: "update" as const,
    path,
    destination: null,
    chunks: filled.map((own) => ({ header: null, lines: own, final: false })),
  };
  return printPatch({ environment: null, operations: [update] });
}

function linesOf(text: string, { keep, added }: Fate = { keep: true, added: [] }): ChunkLine[] {
  const before = added.map((line) => ({ kind: "add" as const, text: line }));
  return [...before, { kind: keep ? "context" : "remove", text }];
}

function edited(kept: readonly string[], fates: readonly Fate[], ending: string): string {
  const parts = kept.map((line, at) => {
    const { keep, added } = fates[at] ?? { keep: true, added: [] };
    return added.map((text) => text + ending).join("") + (keep ? line : "");
  });
  return parts.join("");
}

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { PatchChange } from "../../../src/contract/patch.ts";
import { applyPatch } from "../../../src/patch/apply/apply.ts";
import { NodeFiles } from "../../../src/patch/files/node-files.ts";
import { parsePatch } from "../../../src/patch/read/stream.ts";
import { runTool } from "../../../src/patch/tool.ts";
import { contextIn } from "./support/context.ts";
import { watched } from "./support/faulty.ts";
import { patched, patchedIn, patchOf } from "./support/patched.ts";
import { makePipe } from "./support/pipe.ts";
import { plant, temporaryFolder } from "./support/tree.ts";

function contentOf(text: string | Buffer) {
  const bytes = Buffer.from(text);
  return { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
}

const NOTHING_ELSE: Omit<PatchChange, "kind" | "path" | "diff"> = {
  destination: null,
  before: null,
  after: null,
  overwritten: null,
  exact: true,
  matched: [],
  not_kept: [],
  diff_omitted: null,
};

describe("what a patch did is told, file by file", () => {
  test("for every kind of change", async (t) => {
    const patch = patchOf(
      "*** Add File: new/a",
      "+1",
      "*** Delete File: gone",
      "*** Update File: f",
      "@@",
      "-b",
      "+B",
      "*** Update File: old",
      "*** Move to: moved",
      "@@",
      "-x",
      "+y",
    );
    const tree = { gone: "g\n", f: "a\nb\nc", old: "x\n", moved: "m\n" };
    const { changes, cwd } = await patched(t, tree, patch);
    assert.deepEqual(changes, [
      {
        ...NOTHING_ELSE,
        kind: "add",
        path: `${cwd}/new/a`,
        after: contentOf("1\n"),
        diff: "--- /dev/null\n+++ b/new/a\n@@ -0,0 +1,1 @@\n+1\n",
      },
      {
        ...NOTHING_ELSE,
        kind: "delete",
        path: `${cwd}/gone`,
        before: contentOf("g\n"),
        diff: "--- a/gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-g\n",
      },
      {
        ...NOTHING_ELSE,
        kind: "update",
        path: `${cwd}/f`,
        before: contentOf("a\nb\nc"),
        after: contentOf("a\nB\nc\n"),
        diff: "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n-c\n\\ No newline at end of file\n+c\n",
      },
      {
        ...NOTHING_ELSE,
        kind: "move",
        path: `${cwd}/old`,
        destination: `${cwd}/moved`,
        before: contentOf("x\n"),
        after: contentOf("y\n"),
        overwritten: contentOf("m\n"),
        diff: "--- a/old\n+++ b/moved\n@@ -1,1 +1,1 @@\n-x\n+y\n",
      },
    ] satisfies PatchChange[]);
    assert.deepEqual(changes, PatchChange.array().parse(changes));
  });

  test("also when a later file fails", async (t) => {
    const patch = patchOf("*** Add File: a", "+1", "*** Delete File: missing", "*** Add File: b");
    const { changes, failure, cwd } = await patched(t, {}, patch);
    assert.equal(failure, "Failed to delete file CWD/missing");
    assert.deepEqual(
      changes.map(({ kind, path }) => ({ kind, path })),
      [{ kind: "add", path: `${cwd}/a` }],
    );
  });

  test("through the tool, when writing fails after everything was verified", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { "d/": "" });
    const answer = await runTool(patchOf("*** Add File: a", "*** Add File: d"), contextIn(cwd));
    assert.equal(answer.exit_code, 1);
    assert.deepEqual(
      answer.changes.map(({ path }) => path),
      [`${cwd}/a`],
    );
  });

  test("with the copy that a move leaves when it cannot remove the original", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { f: "a\n" });
    const stuck = watched(new NodeFiles(), (call) => {
      if (call === "remove") throw Object.assign(new Error("busy"), { code: "EBUSY" });
    });
    const patch = parsePatch(patchOf("*** Update File: f", "*** Move to: g", "-a", "+b"));
    const { changes, failure } = await applyPatch(patch, { ...contextIn(cwd), files: stuck });
    assert.equal(failure?.message, `Failed to remove original ${cwd}/f`);
    assert.deepEqual(changes, [
      {
        ...NOTHING_ELSE,
        kind: "add",
        path: `${cwd}/g`,
        after: contentOf("b\n"),
        diff: "--- /dev/null\n+++ b/g\n@@ -0,0 +1,1 @@\n+b\n",
      },
    ]);
  });

  test("with both contents of a file that is added over another", async (t) => {
    const { changes } = await patched(t, { f: "a\nb\n" }, patchOf("*** Add File: f", "+a", "+c"));
    assert.deepEqual(
      changes.map(({ before, after, diff }) => ({ before, after, diff })),
      [
        {
          before: contentOf("a\nb\n"),
          after: contentOf("a\nc\n"),
          diff: "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        },
      ],
    );
  });

  test("without a diff of what is not text", async (t) => {
    const cwd = await temporaryFolder(t);
    const bytes = Buffer.from([0xff, 0x0a]);
    await fs.writeFile(join(cwd, "f"), bytes);
    const { changes } = await patchedIn(cwd, patchOf("*** Add File: f", "+text"));
    assert.deepEqual(changes, [
      {
        ...NOTHING_ELSE,
        kind: "add",
        path: `${cwd}/f`,
        before: contentOf(bytes),
        after: contentOf("text\n"),
        diff: null,
        diff_omitted: "not-text",
      },
    ] satisfies PatchChange[]);
  });

  test("without a diff that would be very long, and without reading such a file at once", async (t) => {
    const text = "x".repeat(5_000_000);
    const { changes } = await patched(t, { f: text }, patchOf("*** Delete File: f"));
    assert.deepEqual(
      changes.map(({ before, diff, diff_omitted }) => ({ before, diff, diff_omitted })),
      [{ before: contentOf(text), diff: null, diff_omitted: "too-large" }],
    );
  });

  test("as not exact where the old content is no file that can be read", async (t) => {
    const cwd = await temporaryFolder(t);
    makePipe(join(cwd, "pipe"));
    const { changes } = await patchedIn(cwd, patchOf("*** Delete File: pipe"));
    assert.deepEqual(changes, [
      {
        ...NOTHING_ELSE,
        kind: "delete",
        path: `${cwd}/pipe`,
        exact: false,
        diff: null,
        diff_omitted: "not-readable",
      },
    ]);
  });

  test("with the files outside the working directory named from the root", async (t) => {
    const { changes, cwd } = await patched(t, {}, patchOf("*** Add File: ../other"));
    const name = cwd.replace(/cwd$/, "other").slice(1);
    assert.equal(changes[0]?.diff, `--- /dev/null\n+++ b/${name}\n`);
  });
});

describe("a chunk whose place was not certain is told", () => {
  test("with its line, how loosely it was found, and how many places there were", async (t) => {
    const patch = patchOf(
      "*** Update File: f",
      "@@",
      "-one",
      "+1",
      "@@",
      "-two",
      "+2",
      "@@",
      "-three",
      "+3",
      "@@",
      "-f-o-u-r",
      "+4",
      "@@",
      "-last",
      "+5",
    );
    const f = "one\ntwo  \n three\nf–o‑u−r\ntwo  \nlast\nlast\n";
    const { changes } = await patched(t, { f }, patch);
    assert.deepEqual(changes[0]?.matched, [
      { chunk: 2, line: 2, stage: 2, candidates: 2 },
      { chunk: 3, line: 3, stage: 3, candidates: 1 },
      { chunk: 4, line: 4, stage: 4, candidates: 1 },
      { chunk: 5, line: 6, stage: 1, candidates: 2 },
    ]);
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applyPatch } from "../../../src/patch/apply/apply.ts";
import { parsePatch } from "../../../src/patch/read/stream.ts";
import { contextIn } from "./support/context.ts";
import { patched, patchedIn, patchOf } from "./support/patched.ts";
import { plant, temporaryFolder, treeOf } from "./support/tree.ts";

describe("a dry run", () => {
  const PATCH = patchOf(
    "*** Add File: n/a",
    "+1",
    "*** Update File: n/a",
    "-1",
    "+2",
    "*** Update File: f",
    "*** Move to: g",
    "-x",
    "+y",
    "*** Delete File: l",
    "*** Add File: l/under",
    "*** Delete File: d",
  );
  const TREE = { f: "x\n", d: "d\n", l: "-> d", g: "g\n" };

  test("says what the real run then does, and does nothing", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, TREE);
    const rehearsed = await patchedIn(cwd, PATCH, { dry_run: true });
    const applied = await patchedIn(cwd, PATCH);
    assert.deepEqual(rehearsed.tree, TREE);
    assert.deepEqual({ ...rehearsed, tree: applied.tree }, applied);
    assert.deepEqual(applied.tree, { g: "y\n", "l/under": "", "n/a": "2\n" });
  });

  test("fails where the real run would", async (t) => {
    for (const last of [
      "*** Add File: n/a/below",
      "*** Delete File: f",
      "*** Update File: l\n x",
    ]) {
      const cwd = await temporaryFolder(t);
      await plant(cwd, TREE);
      const patch = PATCH.replace("*** Delete File: d", last);
      const rehearsed = await patchedIn(cwd, patch, { dry_run: true });
      const applied = await patchedIn(cwd, patch);
      assert.notEqual(rehearsed.failure, null);
      assert.deepEqual(rehearsed.tree, TREE);
      assert.deepEqual({ ...rehearsed, tree: applied.tree }, applied);
    }
  });
});

describe("line endings", () => {
  const PATCH = patchOf("*** Update File: f", "@@", "-b", "+B");
  const F = "a\r\nb\nc\rd";

  test("are kept, and new lines get that of the first line", async (t) => {
    assert.deepEqual((await patched(t, { f: F }, PATCH)).tree, { f: "a\r\nB\r\nc\rd\r\n" });
  });

  test("all become LF when that is asked for", async (t) => {
    const { tree } = await patched(t, { f: F }, PATCH, { line_endings: "lf" });
    assert.deepEqual(tree, { f: "a\nB\nc\nd\n" });
  });
});

describe("without leave to overwrite", () => {
  const OVER: Record<string, string[]> = {
    "an added file": ["*** Add File: taken", "+1"],
    "an added file where a link leads nowhere": ["*** Add File: dangling", "+1"],
    "an added file where there is a folder": ["*** Add File: folder", "+1"],
    "a moved file": ["*** Update File: f", "*** Move to: taken", " x"],
  };
  const TREE = { f: "x\n", taken: "t\n", dangling: "-> nowhere", "folder/": "empty" };

  for (const [what, lines] of Object.entries(OVER)) {
    test(`${what} is refused, and nothing else of the patch is done`, async (t) => {
      const patch = patchOf("*** Add File: first", ...lines);
      const { tree, failure, changes } = await patched(t, TREE, patch, { overwrite: false });
      assert.match(failure ?? "", /^Failed to write file CWD\/(taken|dangling|folder): it exists/);
      assert.deepEqual({ tree, changes }, { tree: TREE, changes: [] });
    });
  }

  test("a patch may still use a name that it has freed before", async (t) => {
    const patch = patchOf("*** Delete File: taken", "*** Add File: taken", "+new");
    const { tree, failure } = await patched(t, { taken: "t\n" }, patch, { overwrite: false });
    assert.deepEqual({ tree, failure }, { tree: { taken: "new\n" }, failure: null });
  });
});

test("a cancelled patch stops before its next file, and tells what it did", async (t) => {
  const cwd = await temporaryFolder(t);
  const patch = parsePatch(patchOf("*** Add File: a", "*** Add File: b"));
  const cancel = new AbortController();
  const context = contextIn(cwd);
  const write = context.files.write.bind(context.files);
  context.files.write = async (...args) => {
    await write(...args);
    cancel.abort();
  };
  const { changes, failure } = await applyPatch(patch, { ...context, signal: cancel.signal });
  assert.equal(failure?.message, "The patch was cancelled before b");
  assert.deepEqual(
    changes.map(({ path }) => path),
    [`${cwd}/a`],
  );
  assert.deepEqual(await treeOf(cwd), { a: "" });
});

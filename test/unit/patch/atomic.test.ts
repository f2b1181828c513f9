import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { applyPatch } from "../../../src/patch/apply/apply.ts";
import { recoverPatches } from "../../../src/patch/atomic/recover.ts";
import { NodeFiles } from "../../../src/patch/files/node-files.ts";
import { parsePatch } from "../../../src/patch/read/stream.ts";
import { contextIn } from "./support/context.ts";
import { crashing, watched } from "./support/faulty.ts";
import { patched, patchedIn, patchOf } from "./support/patched.ts";
import { plant, type Tree, temporaryFolder, treeOf } from "./support/tree.ts";

const TREE: Tree = { f: "a\n", gone: "g\n", old: "x\n", taken: "t\n", link: "-> f" };
const PATCH = patchOf(
  "*** Add File: n/e/w",
  "+1",
  "*** Update File: link",
  "-a",
  "+A",
  "*** Delete File: gone",
  "*** Update File: old",
  "*** Move to: taken",
  "-x",
  "+y",
  "*** Delete File: link",
  "*** Add File: link/below",
);
const DONE: Tree = { f: "A\n", "link/below": "", "n/e/w": "1\n", taken: "y\n" };

function applyWith(files: NodeFiles, cwd: string) {
  return applyPatch(parsePatch(PATCH), { ...contextIn(cwd, { atomic: true }), files });
}

async function noLeavings(cwd: string): Promise<void> {
  assert.deepEqual(await treeOf(`${cwd}.journal`), {});
}

describe("an atomic patch", () => {
  test("does all of it", async (t) => {
    const { tree, failure, cwd } = await patched(t, TREE, PATCH, { atomic: true });
    assert.deepEqual({ tree, failure }, { tree: DONE, failure: null });
    await noLeavings(cwd);
  });

  test("does nothing when its last file fails", async (t) => {
    const patch = PATCH.replace("*** Add File: link/below", "*** Delete File: missing");
    const { tree, failure, changes } = await patched(t, TREE, patch, { atomic: true });
    assert.equal(failure, "Failed to delete file CWD/missing");
    assert.deepEqual({ tree, changes }, { tree: TREE, changes: [] });
  });

  test("takes back what it did when the disk fails, whenever that is", async (t) => {
    for (let at = 1; ; at++) {
      const cwd = await temporaryFolder(t);
      await plant(cwd, TREE);
      const failing = watched(new NodeFiles(), (_, count) => {
        if (count === at) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      });
      const { failure, changes } = await applyWith(failing, cwd);
      if (!failure) return assert.ok(at > 25, `only ${at} changes were made to fail`);
      assert.deepEqual(changes, []);
      assert.deepEqual(await treeOf(cwd), TREE, `after failure of change ${at}`);
      await noLeavings(cwd);
    }
  });

  test("has happened wholly or not at all after a crash, whenever that is", async (t) => {
    const outcomes = new Set<string>();
    for (let at = 1; ; at++) {
      const cwd = await temporaryFolder(t);
      await plant(cwd, TREE);
      const { failure } = await applyWith(crashing(new NodeFiles(), at), cwd);
      const recovered = await recoverPatches(new NodeFiles(), `${cwd}.journal`);
      const [one] = recovered;
      if (!failure && !one) break;
      const outcome = one?.outcome ?? "nothing was begun";
      const expected = outcome === "finished" ? DONE : TREE;
      assert.deepEqual(await treeOf(cwd), expected, `after a crash at change ${at}`);
      assert.deepEqual(one?.conflicts ?? [], []);
      outcomes.add(outcome);
      await noLeavings(cwd);
    }
    assert.deepEqual([...outcomes], ["nothing was begun", "undone", "finished"]);
  });

  test("survives the death of its process", async (t) => {
    for (const at of [1, 9, 17, 25]) {
      const cwd = await temporaryFolder(t);
      await plant(cwd, TREE);
      const program = join(import.meta.dirname, "support/killed.js");
      const child = spawnSync(process.execPath, [program, cwd, String(at)], { input: PATCH });
      assert.equal(child.signal, "SIGKILL");
      await recoverPatches(new NodeFiles(), `${cwd}.journal`);
      assert.deepEqual(await treeOf(cwd), TREE);
      await noLeavings(cwd);
    }
  });

  test("is recovered even if recovery itself is interrupted, whenever that is", async (t) => {
    for (let at = 1; ; at++) {
      const cwd = await temporaryFolder(t);
      await plant(cwd, TREE);
      await applyWith(crashingBefore("rename", new NodeFiles(), 2), cwd);
      const first = recoverPatches(crashing(new NodeFiles(), at), `${cwd}.journal`);
      const interrupted = await first.then(
        () => false,
        () => true,
      );
      await recoverPatches(new NodeFiles(), `${cwd}.journal`);
      assert.deepEqual(await treeOf(cwd), TREE);
      await noLeavings(cwd);
      if (!interrupted) break;
    }
  });

  test("leaves a file alone that others changed before it was recovered", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, TREE);
    await applyWith(crashingBefore("rename", new NodeFiles(), 3), cwd);
    await fs.writeFile(join(cwd, "f"), "theirs\n");
    const [recovered] = await recoverPatches(new NodeFiles(), `${cwd}.journal`);
    const saved = recovered?.conflicts[0]?.saved ?? "";
    assert.deepEqual(recovered?.conflicts, [{ path: `${cwd}/f`, saved }]);
    assert.equal(await fs.readFile(saved, "utf8"), "a\n");
    assert.equal(await fs.readFile(join(cwd, "f"), "utf8"), "theirs\n");
  });

  test("gives way to others who change a file under its hands", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, TREE);
    const meddled = watched(new NodeFiles(), async (call) => {
      if (call === "link") await fs.writeFile(join(cwd, "f"), "theirs\n");
    });
    const { failure } = await applyWith(meddled, cwd);
    assert.equal(failure?.message, `${cwd}/f was changed by others while the patch was applied`);
    assert.deepEqual(await treeOf(cwd), { ...TREE, f: "theirs\n" });
    await noLeavings(cwd);
  });

  test("is refused where there is no place for its journal", async (t) => {
    const cwd = await temporaryFolder(t);
    const { journal: _, ...context } = contextIn(cwd, { atomic: true });
    const { failure } = await applyPatch(parsePatch(PATCH), context);
    assert.deepEqual(
      { code: failure?.code, facts: failure?.facts },
      { code: "enforcement-missing", facts: { mechanism: "journal" } },
    );
  });

  test("is refused where its journal cannot be written", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, TREE);
    const context = { ...contextIn(cwd, { atomic: true }), journal: `${cwd}/f/journal` };
    const { failure } = await applyPatch(parsePatch(PATCH), context);
    assert.equal(
      failure?.message,
      `The journal of an atomic patch cannot be written to ${cwd}/f/journal`,
    );
    assert.deepEqual(await treeOf(cwd), TREE);
  });

  test("keeps the mode of a file, and follows a link to it", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { "s/run": "a\n", link: "-> s/run" });
    await fs.chmod(join(cwd, "s/run"), 0o751);
    const patch = patchOf("*** Update File: link", "-a", "+b");
    const { tree, changes } = await patchedIn(cwd, patch, { atomic: true });
    assert.deepEqual(tree, { "s/run": "b\n", link: "-> s/run" });
    assert.equal((await fs.stat(join(cwd, "s/run"))).mode & 0o7777, 0o751);
    assert.deepEqual(changes[0]?.not_kept, []);
  });

  test("tells what its new files could not take over from the old ones", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { f: "a\n" });
    await fs.link(join(cwd, "f"), join(cwd, "other"));
    await fs.chmod(join(cwd, "f"), 0o4755);
    const { tree, changes } = await patchedIn(cwd, patchOf("*** Update File: f", "-a", "+b"), {
      atomic: true,
    });
    assert.deepEqual(tree, { f: "b\n", other: "a\n" });
    assert.equal((await fs.stat(join(cwd, "f"))).mode & 0o7777, 0o755);
    assert.deepEqual(changes[0]?.not_kept, ["setuid", "hard-links"]);
  });
});

/** Files that are gone from the n-th call of one kind on. */
function crashingBefore(call: string, files: NodeFiles, at: number): NodeFiles {
  let seen = 0;
  return watched(files, (name) => {
    if (name === call) seen++;
    if (seen >= at) throw new Error("crashed");
  });
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { interceptedText, toolText } from "../../../src/patch/answers.ts";
import { applyTool, runTool, verifyTool } from "../../../src/patch/tool.ts";
import { contextIn } from "./support/context.ts";
import { patchOf } from "./support/patched.ts";
import { plant, temporaryFolder, treeOf } from "./support/tree.ts";

describe("the tool", () => {
  test("shows what it would change, and changes it only when told to", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { f: "a\nb\n" });
    const patch = patchOf("*** Update File: f", "@@", "-b", "+B", "*** Add File: g", "+g");
    const verified = await verifyTool(patch, contextIn(cwd));
    const before = await treeOf(cwd);
    const { changes, ...answer } = await applyTool(verified, contextIn(cwd));
    assert.deepEqual(before, { f: "a\nb\n" });
    assert.deepEqual(await treeOf(cwd), { f: "a\nB\n", g: "g\n" });
    assert.deepEqual(changes, verified.changes);
    assert.deepEqual(
      { ...answer, text: answer.text.replace(/\d+(\.\d)? s/, "0 s") },
      {
        exit_code: 0,
        text: toolText(0, 0, "Success. Updated the following files:\nA g\nM f\n"),
      },
    );
  });

  test("refuses an environment where there is but one, before it looks at anything else", async (t) => {
    const cwd = await temporaryFolder(t);
    const patch = patchOf("*** Environment ID: local");
    const text = "apply_patch environment selection is unavailable for this turn";
    const refused = await runTool(patch, contextIn(cwd));
    assert.deepEqual(refused, { text, exit_code: null, changes: [] });
  });

  test("ignores an environment where the caller has routed by it", async (t) => {
    const cwd = await temporaryFolder(t);
    const patch = patchOf("*** Environment ID: local", "*** Add File: a");
    const context = { ...contextIn(cwd), environmentLine: "ignored" as const };
    assert.equal((await runTool(patch, context)).exit_code, 0);
  });

  test("refuses a path with a NUL before anything is written", async (t) => {
    const cwd = await temporaryFolder(t);
    const { text } = await runTool(
      patchOf("*** Add File: a", "*** Add File: a\0b"),
      contextIn(cwd),
    );
    assert.equal(text, "apply_patch verification failed: 'a\0b' is invalid on 'linux'");
    assert.deepEqual(await treeOf(cwd), {});
  });

  test("judges every update by the disk, so that none may build on a move before it", async (t) => {
    const cwd = await temporaryFolder(t);
    await plant(cwd, { f: "a\n" });
    const move = ["*** Update File: f", "*** Move to: g", "@@", "-a", "+b"];
    const { text } = await runTool(patchOf(...move, "*** Update File: g", "-b"), contextIn(cwd));
    const reason = `${cwd}/g: No such file or directory (os error 2)`;
    assert.equal(text, `apply_patch verification failed: Failed to read file to update ${reason}`);
    assert.deepEqual(await treeOf(cwd), { f: "a\n" });
  });

  test("rounds its time to a tenth of a second, without a useless zero", () => {
    const seconds = [0, 0.04, 0.05, 0.95, 1.2, 12];
    const shown = seconds.map((one) => toolText(0, one, "").split("\n")[1]);
    assert.deepEqual(
      shown,
      ["0", "0", "0.1", "1", "1.2", "12"].map((one) => `Wall time: ${one} seconds`),
    );
  });
});

test("a patch within a command has a second header when it was applied, and none otherwise", () => {
  const done = { text: toolText(0, 0, "Success.\n"), exit_code: 0 };
  const failed = { text: toolText(1, 0, "Failed to write file /f\n"), exit_code: 1 };
  const refused = { text: "apply_patch verification failed: why", exit_code: null };
  assert.deepEqual([done, failed, refused].map(interceptedText), [
    "Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n",
    "Exit code: 1\nWall time: 0 seconds\nOutput:\nFailed to write file /f\n",
    "apply_patch verification failed: why",
  ]);
});

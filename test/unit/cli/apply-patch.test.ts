import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { cliArgv } from "../../support/outwork-cli.ts";
import { plant, temporaryFolder, treeOf } from "../patch/support/tree.ts";

const USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n";
const MOVE_ONTO_ITSELF = [
  "*** Begin Patch",
  "*** Update File: a",
  "*** Move to: ./a",
  "@@",
  "-1",
  "+2",
  "*** End Patch",
].join("\n");
const MOVED = { code: 0, stdout: "Success. Updated the following files:\nM ./a\n", stderr: "" };

/** Runs `outwork apply-patch` on the real disk. */
function applyPatch(cwd: string, args: readonly string[], input = "") {
  const [program, ...rest] = cliArgv(["apply-patch", ...args]);
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd, input, encoding: "utf8" });
  return { code: status, stdout, stderr };
}

test("a patch is applied to the files of this machine, as an argument or from stdin", async (t) => {
  const cwd = await temporaryFolder(t);
  await plant(cwd, { a: "1\n" });
  assert.deepEqual(applyPatch(cwd, [MOVE_ONTO_ITSELF]), MOVED);
  const back = MOVE_ONTO_ITSELF.replace("-1", "-2").replace("+2", "+3");
  assert.deepEqual(applyPatch(cwd, [], back), MOVED);
  assert.deepEqual(await treeOf(cwd), { a: "3\n" });
});

test("the original's faults are kept on request", async (t) => {
  const cwd = await temporaryFolder(t);
  await plant(cwd, { a: "1\n" });
  assert.deepEqual(applyPatch(cwd, ["--compat", MOVE_ONTO_ITSELF]), MOVED);
  assert.deepEqual(await treeOf(cwd), {});
});

test("nothing and too much are answered as the original does", async (t) => {
  const cwd = await temporaryFolder(t);
  assert.deepEqual(applyPatch(cwd, []), { code: 2, stdout: "", stderr: USAGE });
  const stderr = "Error: apply_patch accepts exactly one argument.\n";
  assert.deepEqual(applyPatch(cwd, ["a", "b"]), { code: 2, stdout: "", stderr });
});

test("an argument that is not text is told from one that holds replacement characters", async (t) => {
  const cwd = await temporaryFolder(t);
  const [program, ...rest] = cliArgv(["apply-patch"]);
  const script = `exec "$@" "$(printf '\\377')"`;
  const options = { cwd, encoding: "utf8" as const };
  const { status, stderr } = spawnSync("sh", ["-c", script, "sh", program, ...rest], options);
  assert.deepEqual([status, stderr], [1, "Error: apply_patch requires a UTF-8 PATCH argument.\n"]);
  const text = "Invalid patch: The first line of the patch must be '*** Begin Patch'\n";
  assert.equal(applyPatch(cwd, ["\ufffd"]).stderr, text);
});

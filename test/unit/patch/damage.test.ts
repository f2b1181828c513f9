import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { PatchChange } from "../../../src/contract/patch.ts";
import { patchOf } from "./support/patched.ts";
import { plant, type Tree, temporaryFolder, treeOf } from "./support/tree.ts";

const OLD = `${"old line\n".repeat(10)}`;
const MUCH = "x".repeat(5000);
const ADD = patchOf("*** Add File: first", "+1", "*** Add File: f", `+${MUCH}`);
const UPDATE = patchOf("*** Update File: f", "@@", `+${MUCH}`);

type Broken = { tree: Tree; failure: string; changes: PatchChange[]; cwd: string };

/** Applies a patch in a process whose files may not grow beyond a block or two. */
async function limited(
  t: { after(fn: () => Promise<void>): void },
  tree: Tree,
  patch: string,
  options: object,
  prepare: (cwd: string) => Promise<void> = async () => {},
): Promise<Broken> {
  const cwd = await temporaryFolder(t);
  await plant(cwd, tree);
  await prepare(cwd);
  const program = join(import.meta.dirname, "support/limited.js");
  const args = ["-c", 'ulimit -f 2 && exec "$@"', "sh", process.execPath, program, cwd];
  const child = spawnSync("sh", [...args, JSON.stringify(options)], { input: patch });
  const { failure, changes } = JSON.parse(child.stdout.toString());
  return { tree: await treeOf(cwd), failure, changes, cwd };
}

describe("a write that breaks off", () => {
  for (const [what, patch] of Object.entries({ "an added file": ADD, "an updated file": UPDATE })) {
    test(`leaves the old content of ${what}`, async (t) => {
      const { tree, failure, changes, cwd } = await limited(t, { f: OLD }, patch, {});
      assert.equal(failure, `Failed to write file ${cwd}/f`);
      assert.equal(tree.f, OLD);
      assert.deepEqual(
        changes.filter(({ path }) => path.endsWith("/f")),
        [],
      );
    });

    test(`damages ${what} where the original's faults are wanted, and says so`, async (t) => {
      const { tree, changes, cwd } = await limited(t, { f: OLD }, patch, { compat: true });
      const change = changes.at(-1);
      assert.notEqual(tree.f, OLD);
      assert.deepEqual(
        { path: change?.path, exact: change?.exact, bytes: change?.after?.bytes },
        { path: `${cwd}/f`, exact: false, bytes: tree.f?.length },
      );
    });
  }

  test("leaves the mode of a file that a move would have overwritten", async (t) => {
    const patch = patchOf("*** Update File: f", "*** Move to: g", "@@", `+${MUCH}`);
    const before = { f: OLD, g: "g\n" };
    const { tree, cwd } = await limited(t, before, patch, {}, (folder) =>
      chmod(join(folder, "f"), 0o700),
    );
    assert.deepEqual(tree, before);
    assert.equal((await stat(join(cwd, "g"))).mode & 0o100, 0);
  });

  test("leaves no part of a new file", async (t) => {
    const { tree } = await limited(t, {}, ADD, {});
    assert.deepEqual(tree, { first: "1\n" });
  });
});

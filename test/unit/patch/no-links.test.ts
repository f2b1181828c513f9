import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, test } from "node:test";
import { NodeFiles } from "../../../src/patch/files/node-files.ts";
import { runTool } from "../../../src/patch/tool.ts";
import { contextIn } from "./support/context.ts";
import { patchOf } from "./support/patched.ts";
import { plant, type Tree, temporaryFolder, treeOf } from "./support/tree.ts";

const TREE: Tree = {
  "../outside/f": "a\n",
  f: "a\n",
  "s/g": "b\n",
  "to-f": "-> f",
  "to-s": "-> s",
  out: "-> ../outside",
  nowhere: "-> new",
};

const READ = "apply_patch verification failed: Failed to read";
const LOOP = "Symbolic link loop (os error 40)";

const REFUSED: Record<string, [lines: string[], text: string]> = {
  "an update of a link": [
    ["*** Update File: to-f", "-a"],
    `${READ} file to update CWD/to-f: ${LOOP}`,
  ],
  "an update below a linked folder": [
    ["*** Update File: out/f", "-a"],
    `${READ} file to update CWD/out/f: ${LOOP}`,
  ],
  "a file added over a link": [["*** Add File: to-f"], "Failed to write file CWD/to-f\n"],
  "a file added through a link into nowhere": [
    ["*** Add File: nowhere"],
    "Failed to write file CWD/nowhere\n",
  ],
  "a file added below a linked folder": [
    ["*** Add File: out/new"],
    "Failed to write file CWD/out/new\n",
  ],
  "a folder made below a linked folder": [
    ["*** Add File: to-s/n/e/w"],
    "Failed to write file CWD/to-s/n/e/w\n",
  ],
  "a move to below a linked folder": [
    ["*** Update File: f", "*** Move to: out/f", "-a"],
    "Failed to write file CWD/out/f\n",
  ],
  "a delete below a linked folder": [["*** Delete File: out/f"], `${READ} CWD/out/f: ${LOOP}`],
};

describe("where links are not followed", () => {
  for (const atomic of [false, true]) {
    for (const [what, [lines, text]] of Object.entries(REFUSED)) {
      test(`${what} is refused${atomic ? ", atomically" : ""}`, async (t) => {
        const { cwd, context } = await linked(t, atomic);
        const answer = await runTool(patchOf(...lines), context);
        const body = answer.text.replaceAll(cwd, "CWD").replace(/^Exit code: 1\n.*\nOutput:\n/, "");
        const { "../outside/f": _, ...inside } = TREE;
        assert.equal(body, text);
        assert.deepEqual(await treeOf(cwd), inside);
        assert.deepEqual(await treeOf(`${cwd}/../outside`), { f: "a\n" });
      });
    }

    test(`everything else goes as usual${atomic ? ", atomically" : ""}`, async (t) => {
      const { cwd, context } = await linked(t, atomic);
      const patch = patchOf(
        "*** Update File: f",
        "*** Move to: n/e/w",
        "-a",
        "+b",
        "*** Delete File: s/g",
        "*** Add File: s/h",
      );
      const descriptors = await readdir("/proc/self/fd");
      assert.equal((await runTool(patch, context)).exit_code, 0);
      assert.equal((await readdir("/proc/self/fd")).length, descriptors.length);
      const { f: _, "s/g": __, "../outside/f": ___, ...rest } = TREE;
      assert.deepEqual(await treeOf(cwd), { ...rest, "n/e/w": "b\n", "s/h": "" });
    });
  }
});

async function linked(t: { after(fn: () => Promise<void>): void }, atomic: boolean) {
  const cwd = await temporaryFolder(t);
  await plant(cwd, TREE);
  const context = { ...contextIn(cwd, { atomic }), files: new NodeFiles("refuse") };
  return { cwd, context };
}

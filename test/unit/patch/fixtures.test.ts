import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { z } from "zod";
import type { PatchOptions } from "../../../src/contract/patch.ts";
import { PromptFiles } from "../../../src/patch/files/prompt-files.ts";
import { runProgram } from "../../../src/patch/program.ts";
import { runTool } from "../../../src/patch/tool.ts";
import { contextIn } from "./support/context.ts";
import {
  FAULTS,
  type Fixture,
  fill,
  fixtures,
  patchIn,
  plantInput,
  recordedTree,
  withoutTime,
} from "./support/fixture.ts";
import { type Tree, temporaryFolder, treeOf } from "./support/tree.ts";

type Options = z.input<typeof PatchOptions>;

const MODES: Record<string, Options> = {
  "": {},
  ", with the original's faults": { compat: true },
  ", in a dry run": { dry_run: true },
  ", atomically": { atomic: true },
};

for (const [mode, options] of Object.entries(MODES)) {
  describe(`recorded patches through the program${mode}`, async () => {
    for (const fixture of await fixtures()) {
      test(fixture.name, async (t) => {
        const cwd = await temporaryFolder(t);
        await plantInput(fixture, cwd);
        const { changes: _, ...answer } = await program(fixture, cwd, options);
        const { exit_code, stdout, stderr } = fixture;
        assert.deepEqual(answer, fill({ exit_code, stdout, stderr }, cwd));
        assert.deepEqual(await treeOf(cwd), await programTree(fixture, options));
      });
    }
  });

  describe(`recorded patches through the tool${mode}`, async () => {
    for (const fixture of await fixtures()) {
      const { tool } = fixture;
      if (!tool) continue;
      test(fixture.name, async (t) => {
        const cwd = await temporaryFolder(t);
        await plantInput(fixture, cwd);
        const { text } = await runTool(patchIn(fixture, cwd).toString(), contextIn(cwd, options));
        assert.equal(withoutTime(text), fill(tool.output, cwd));
        assert.deepEqual(await treeOf(cwd), await expectedTree(fixture, tool.tree, options));
      });
    }
  });
}

describe("recorded patches through the program, with files that nothing else waits for", async () => {
  for (const fixture of await fixtures()) {
    test(fixture.name, async (t) => {
      const cwd = await temporaryFolder(t);
      await plantInput(fixture, cwd);
      const { changes: _, ...answer } = await program(fixture, cwd, {}, new PromptFiles());
      const { exit_code, stdout, stderr } = fixture;
      assert.deepEqual(answer, fill({ exit_code, stdout, stderr }, cwd));
      assert.deepEqual(await treeOf(cwd), await programTree(fixture, {}));
    });
  }
});

function program(fixture: Fixture, cwd: string, options: Options, files?: PromptFiles) {
  const patch = patchIn(fixture, cwd);
  const args = fixture.via === "argument" ? [patch] : [];
  const context = contextIn(cwd, options);
  return runProgram({ args, stdin: async () => patch }, files ? { ...context, files } : context);
}

/** An atomic patch that fails has done nothing. */
function programTree(fixture: Fixture, options: Options): Promise<Tree> {
  const undone = options.atomic === true && fixture.exit_code !== 0;
  return expectedTree(fixture, undone ? "input" : "expected", options);
}

async function expectedTree(
  fixture: Fixture,
  which: string,
  { compat, dry_run }: Options,
): Promise<Tree> {
  if (dry_run) return recordedTree(fixture, "input");
  const mended = compat ? undefined : FAULTS[fixture.name];
  return mended ?? recordedTree(fixture, which);
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ProgramResult, runProgram } from "../../../src/patch/program.ts";
import { contextIn } from "./support/context.ts";
import { patchOf } from "./support/patched.ts";
import { temporaryFolder, treeOf } from "./support/tree.ts";

const NOT_TEXT = Buffer.from([0xff]);

function refused(exitCode: number, stderr: string): ProgramResult {
  return { exit_code: exitCode, stdout: "", stderr, changes: [] };
}

describe("the program", () => {
  const cases: [title: string, args: (string | Buffer)[], stdin: Buffer, result: ProgramResult][] =
    [
      [
        "says how to use it when it is given nothing",
        [],
        Buffer.alloc(0),
        refused(2, "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"),
      ],
      [
        "reads an empty argument as a patch",
        [""],
        Buffer.alloc(0),
        refused(1, "Invalid patch: The last line of the patch must be '*** End Patch'\n"),
      ],
      [
        "reads an option as a patch",
        ["--help"],
        Buffer.alloc(0),
        refused(1, "Invalid patch: The first line of the patch must be '*** Begin Patch'\n"),
      ],
      [
        "takes one argument only",
        ["a", "b"],
        Buffer.alloc(0),
        refused(2, "Error: apply_patch accepts exactly one argument.\n"),
      ],
      [
        "looks at its first argument before it counts them",
        [NOT_TEXT, "b"],
        Buffer.alloc(0),
        refused(1, "Error: apply_patch requires a UTF-8 PATCH argument.\n"),
      ],
      [
        "refuses input that is not text",
        [],
        NOT_TEXT,
        refused(1, "Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8\n"),
      ],
      [
        "has nothing to do for a patch without operations",
        [patchOf("*** Environment ID: any")],
        Buffer.alloc(0),
        refused(1, "No files were modified.\n"),
      ],
    ];
  for (const [title, args, stdin, result] of cases) {
    test(title, async (t) => {
      const cwd = await temporaryFolder(t);
      const answer = await runProgram({ args, stdin: async () => stdin }, contextIn(cwd));
      assert.deepEqual(answer, result);
    });
  }

  test("ignores the environment that a patch names", async (t) => {
    const cwd = await temporaryFolder(t);
    const args = [patchOf("*** Environment ID: elsewhere", "*** Add File: a", "+1")];
    const { exit_code } = await runProgram({ args, stdin: noInput }, contextIn(cwd));
    assert.equal(exit_code, 0);
    assert.deepEqual(await treeOf(cwd), { a: "1\n" });
  });
});

async function noInput(): Promise<Buffer> {
  throw new Error("standard input was read");
}

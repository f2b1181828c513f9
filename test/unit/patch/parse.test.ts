import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PatchSyntaxError } from "../../../src/patch/failure.ts";
import type { Patch } from "../../../src/patch/operation.ts";
import { parsePatch } from "../../../src/patch/read/stream.ts";
import { patchOf } from "./support/patched.ts";

describe("reading a patch", () => {
  test("all that a patch can hold is read in its order", () => {
    const text = patchOf(
      "*** Environment ID: env_1",
      "*** Add File: a b.txt",
      "+one",
      "+",
      "*** Delete File: gone",
      "*** Update File: f",
      "*** Move to: g",
      " kept",
      "@@ def x():",
      "-old",
      "+new",
      "*** End of File",
    );
    assert.deepEqual(parsePatch(text), {
      environment: "env_1",
      operations: [
        { kind: "add", path: "a b.txt", lines: ["one", ""] },
        { kind: "delete", path: "gone" },
        {
          kind: "update",
          path: "f",
          destination: "g",
          chunks: [
            { header: null, lines: [{ kind: "context", text: "kept" }], final: false },
            {
              header: "def x():",
              lines: [
                { kind: "remove", text: "old" },
                { kind: "add", text: "new" },
              ],
              final: true,
            },
          ],
        },
      ],
    } satisfies Patch);
  });

  test("the environment is told to whoever routes the patch, without the space around it", () => {
    assert.equal(parsePatch(patchOf(" *** Environment ID:  my env  ")).environment, "my env");
    assert.equal(parsePatch(patchOf("*** Environment ID:x")).environment, "x");
    assert.equal(parsePatch(patchOf("*** Add File: a")).environment, null);
  });

  test("a line loses two carriage returns at its end and no more", () => {
    const lines = ["+a\r", "+b\r\r", "+c\r\r\r", "+d\re"];
    assert.deepEqual(parsePatch(patchOf("*** Add File: f", ...lines)).operations, [
      { kind: "add", path: "f", lines: ["a", "b", "c\r", "d\re"] },
    ]);
  });

  test("blank lines may follow an end that is followed by another", () => {
    const once = parsePatch(patchOf("*** Add File: f"));
    assert.deepEqual(parsePatch(`${patchOf("*** Add File: f")}\n \n\u3000\n*** End Patch`), once);
    assert.deepEqual(parsePatch(`${patchOf("*** Add File: f")}\n*** End Patch`), once);
  });

  test("an end of file before any chunk says nothing", () => {
    const moved = patchOf("*** Update File: f", "*** End of File", "*** Move to: g", "-a");
    assert.deepEqual(
      parsePatch(moved),
      parsePatch(patchOf("*** Update File: f", "*** Move to: g", "-a")),
    );
  });

  test("a line known by its sign alone is context when it is empty", () => {
    assert.deepEqual(parsePatch(patchOf("*** Update File: f", "@@", "", " ")).operations, [
      {
        kind: "update",
        path: "f",
        destination: null,
        chunks: [
          {
            header: null,
            lines: [
              { kind: "context", text: "" },
              { kind: "context", text: "" },
            ],
            final: false,
          },
        ],
      },
    ]);
  });
});

const FIRST = "Invalid patch: The first line of the patch must be '*** Begin Patch'";
const LAST = "Invalid patch: The last line of the patch must be '*** End Patch'";
const UPDATE = "*** Update File: f";

const REFUSED: Record<string, [text: string, message: string]> = {
  "nothing but white space": [" \n\t", LAST],
  "text before the first line": [`text\n${patchOf()}`, FIRST],
  "text after the last line": [`${patchOf()}\ntext`, LAST],
  "three ends": [`${patchOf()}\n*** End Patch\n*** End Patch`, LAST],
  "a second patch": [`${patchOf()}\n${patchOf()}`, LAST],
  "a missing end before a bad line": ["*** Begin Patch\nbad", LAST],
  "a byte order mark": [`\ufeff${patchOf()}`, FIRST],
  "a heredoc that is not closed": [`<<EOF\n${patchOf()}`, FIRST],
  "a heredoc with a blank first line": [`<<EOF\n\n${patchOf()}\nEOF`, FIRST],
  "a heredoc with a blank last line": [`<<EOF\n${patchOf()}\n\nEOF`, LAST],
  "a heredoc with space after its word": [`<<EOF \n${patchOf()}\nEOF`, FIRST],
  "a heredoc of three lines": ["<<EOF\n*** Begin Patch\nEOF", FIRST],
  "a heredoc with quotes that differ": [`<<'EOF"\n${patchOf()}\nEOF`, FIRST],
  "a Markdown fence": [`\`\`\`\n${patchOf()}\n\`\`\``, FIRST],
  "a heredoc within a heredoc": [`<<EOF\n<<EOF\n${patchOf()}\nEOF\nEOF`, FIRST],
  "an end of file where lines were expected": [
    patchOf(UPDATE, "@@", "*** End of File"),
    "Invalid patch hunk on line 4: Update hunk does not contain any lines",
  ],
  "a header right after a chunk was opened, shown without the space after it": [
    patchOf(UPDATE, "@@", "*** Delete File: g  "),
    "Invalid patch hunk on line 4: Unexpected line found in update hunk: '*** Delete File: g'. " +
      "Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)",
  ],
  "a bad line, shown with the space after it": [
    patchOf(UPDATE, "@@", "-a", "oops  "),
    "Invalid patch hunk on line 5: Expected update hunk to start with a @@ context marker, " +
      "got: 'oops  '",
  ],
  "lines after an end of file": [
    patchOf(UPDATE, "@@", "-a", "*** End of File", "", "+b"),
    "Invalid patch hunk on line 7: Expected update hunk to start with a @@ context marker, " +
      "got: '+b'",
  ],
  "an end of file twice": [
    patchOf(UPDATE, "@@", "-a", "*** End of File", "*** End of File"),
    "Invalid patch hunk on line 6: Expected update hunk to start with a @@ context marker, " +
      "got: '*** End of File'",
  ],
  "a second environment without a name": [
    patchOf("*** Environment ID: x", "*** Environment ID:"),
    "Invalid patch: apply_patch environment_id cannot be specified more than once",
  ],
};

describe("a patch is refused for", () => {
  for (const [what, [text, message]] of Object.entries(REFUSED)) {
    test(what, () => {
      assert.throws(() => parsePatch(text), { name: "PatchSyntaxError", message });
    });
  }

  test("the same reason in the tool's words", () => {
    const wording = (text: string) => {
      try {
        parsePatch(text);
      } catch (error) {
        return error instanceof PatchSyntaxError ? error.toolText : error;
      }
    };
    assert.equal(wording(""), "invalid patch: The last line of the patch must be '*** End Patch'");
    assert.equal(
      wording(patchOf(UPDATE)),
      "invalid hunk at line 2, Update file hunk for path 'f' is empty",
    );
  });
});

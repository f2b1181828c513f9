import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { interceptPatch } from "../../../src/tools/intercept.ts";

const PATCH = ["*** Begin Patch", "*** Add File: a", "+$x `y` \\", "*** End Patch"].join("\n");

/** A script whose here-document, ended by X, has the patch. */
const given = (line: string, end = "X") => `${line}\n${PATCH}\n${end}`;

const INTERCEPTED: [script: string, folder: string | null][] = [
  [given("apply_patch <<'X'"), null],
  [given("applypatch << X"), null],
  [given('apply_patch <<"X"'), null],
  [given("apply_patch <<'two words'", "two words"), null],
  [given("apply_patch <<-X", "\tX"), null],
  [`\n\n  ${given("apply_patch <<X")}\n\n`, null],
  [given("FOO=1 BAR=2 apply_patch <<X"), null],
  [given("cd sub/deep && apply_patch <<X"), "sub/deep"],
  [given("cd ~ && apply_patch <<X"), "~"],
  [given("cd 'a $b' && applypatch <<X"), "a $b"],
  [given('cd "a b" && apply_patch <<X'), "a b"],
  [given("cd a && apply_patch these words <<X"), "a"],
];

const LEFT_TO_THE_SHELL = [
  given("apply_patch <<X;"),
  given("apply_patch <<X || true"),
  given("apply_patch <<X && true"),
  given("apply_patch <<X | cat"),
  given("apply_patch <<X &"),
  given("! apply_patch <<X"),
  given("time apply_patch <<X"),
  given("apply_patch <<X 2>&1"),
  given("apply_patch > log <<X"),
  given("apply_patch 3<<X"),
  given("apply_patch <<X <<X"),
  given("apply_patch word <<X"),
  given("apply_patch --option <<X"),
  given("/usr/bin/apply_patch <<X"),
  given("other_patch <<X # apply_patch"),
  given("apply_patch <<X # why"),
  `# why\n${given("apply_patch <<X")}`,
  `${given("apply_patch <<X")}\n# why`,
  `true\n${given("apply_patch <<X")}`,
  `${given("apply_patch <<X")}\ntrue`,
  `(${given("apply_patch <<X")}\n)`,
  `{ ${given("apply_patch <<X")}\n}`,
  `if true; then ${given("apply_patch <<X")}\nfi`,
  `echo "$(${given("apply_patch <<X")}\n)"`,
  `apply_patch '${PATCH}'`,
  `apply_patch <<< '${PATCH}'`,
  `apply_patch <<X\n${PATCH}\n`,
  given("cd a; apply_patch <<X"),
  given("cd a || apply_patch <<X"),
  given("cd -P a && apply_patch <<X"),
  given("cd a b && apply_patch <<X"),
  given("cd && apply_patch <<X"),
  given("cd a && cd b && apply_patch <<X"),
  given("cd $X && apply_patch <<X"),
  given("cd a/$X && apply_patch <<X"),
  given('cd "a $X" && apply_patch <<X'),
  given("cd `pwd` && apply_patch <<X"),
  given("cd a\\ b && apply_patch <<X"),
  given("cd 'a'b && apply_patch <<X"),
  given("pushd a && apply_patch <<X"),
  `apply_patch <<X\n${PATCH}\nX\nrm -rf .\nX`,
  `apply_patch <<-X\n${PATCH}\n\tX\nrm -rf .\nX`,
  `apply_patch <<X\n${PATCH}\nX `,
  `apply_patch <<'X'\n${PATCH}\n\tX`,
  given(`cd ${"d".repeat(8_192)} && apply_patch <<X`),
  "apply_patch",
  "apply_patch <<X",
  "apply_patch 'unended <<X",
  "grep -r apply_patch .",
];

describe("a command line that only applies a patch", () => {
  for (const [script, folder] of INTERCEPTED) {
    test(`is taken literally: ${JSON.stringify(script.replace(PATCH, "…"))}`, async () => {
      assert.deepEqual(await interceptPatch(script), { patch: PATCH, folder });
    });
  }

  test("has its patch without the newlines at its end", async () => {
    const found = await interceptPatch(`apply_patch <<X\n${PATCH}\n\n\nX\n`);
    assert.deepEqual(found, { patch: PATCH, folder: null });
  });
});

describe("any other command line is left to the shell", () => {
  for (const script of LEFT_TO_THE_SHELL) {
    test(JSON.stringify(script.replace(PATCH, "…")), async () => {
      assert.equal(await interceptPatch(script), null);
    });
  }
});

/** What grows the work or the stack of a parser of shell beyond the length of the text. */
const HOSTILE: Record<string, (n: number) => string> = {
  "here-documents": (n) => `apply_patch${" <<X".repeat(n)}\n${"X\n".repeat(n)}`,
  functions: (n) => `apply_patch <<X\nX\n${"f() ".repeat(n)}`,
  substitutions: (n) => `apply_patch ${'"$('.repeat(n)} <<X\nX`,
  "substitutions in a body": (n) => `apply_patch <<X\n${"${a:-$(".repeat(n)}\nY\n`,
  conditions: (n) => `apply_patch <<X\nX\n${"if a; then ".repeat(n)}\nX`,
};

describe("a hostile command line is left to the shell, and nobody waits for a parser", () => {
  for (const [what, of] of Object.entries(HOSTILE)) {
    for (const n of [500, 2_000_000]) {
      test(`${n} ${what}`, async () => {
        assert.equal(await interceptPatch(of(n)), null);
      });
    }
  }
});

test("a bare patch is not a command line, and the model is told what it is", async () => {
  for (const script of [PATCH, `\n${PATCH}\n\n`, `<<'EOF'\n${PATCH}\nEOF`]) {
    await assert.rejects(interceptPatch(script), {
      code: "tool-failed",
      message:
        "apply_patch verification failed: patch detected without explicit call to apply_patch. " +
        'Rerun as ["apply_patch", "<patch>"]',
    });
  }
  assert.equal(await interceptPatch(`${PATCH}\nls`), null);
});

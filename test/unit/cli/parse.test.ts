import assert from "node:assert/strict";
import { test } from "node:test";
import type { Flags } from "../../../src/cli/command.ts";
import { parse } from "../../../src/cli/parse.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";

const FLAGS = {
  quick: { short: "q", help: "" },
  name: { short: "n", value: "NAME", help: "" },
  env: { value: "NAME=VALUE", many: true, help: "" },
} as const satisfies Flags;

test("flags, words and what follows `--` are told apart", () => {
  const args = ["a", "-qn", "x", "--env", "A=1", "b", "--env=B=2", "--", "c", "--quick", "-n"];
  assert.deepEqual(parse(args, FLAGS), {
    flags: { quick: true, name: "x", env: ["A=1", "B=2"] },
    words: ["a", "b"],
    rest: ["c", "--quick", "-n"],
  });
});

test("flags that are not given are false, empty or undefined", () => {
  assert.deepEqual(parse([], FLAGS), {
    flags: { quick: false, name: undefined, env: [] },
    words: [],
    rest: [],
  });
});

const WRONG: readonly (readonly [args: string[], message: string])[] = [
  [["--fast"], "unknown flag --fast; allowed here: --quick --name --env"],
  [["-x"], "unknown flag -x; allowed here: --quick --name --env"],
  [["--toString"], "unknown flag --toString; allowed here: --quick --name --env"],
  [["--__proto__=1"], "unknown flag --__proto__; allowed here: --quick --name --env"],
  [["--quick=yes"], "--quick takes no value"],
  [["--name"], "--name needs a value: NAME"],
  [["--name", "--quick"], "--name needs a value; one that starts with - goes after ="],
  [["--name", "a", "-n", "b"], "-n is given twice"],
];

for (const [args, message] of WRONG) {
  test(`\`${args.join(" ")}\` is refused: ${message}`, () => {
    assert.throws(
      () => parse(args, FLAGS),
      (error) => error instanceof UsageError && error.message === message,
    );
  });
}

test("a value may start with - after =, and `-` itself is a value", () => {
  assert.equal(parse(["--name=-x"], FLAGS).flags.name, "-x");
  assert.equal(parse(["--name", "-"], FLAGS).flags.name, "-");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../../../src/cli/failure.ts";
import { OutcomeUnknownError } from "../../../src/cli/outcome-unknown-error.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";
import type { ProblemCode } from "../../../src/contract/problem-codes.ts";
import { OutworkError } from "../../../src/errors.ts";

const EXIT_CODES: readonly (readonly [ProblemCode, number])[] = [
  ["tool-failed", 1],
  ["start-failed", 1],
  ["internal", 1],
  ["validation-failed", 2],
  ["environment-not-found", 3],
  ["environment-gone", 3],
  ["process-not-found", 3],
  ["process-gone", 3],
  ["unauthenticated", 4],
  ["not-permitted", 4],
  ["policy-denied", 4],
  ["ceiling-exceeded", 4],
  ["service-unreachable", 5],
  ["agent-unreachable", 5],
  ["placement-unavailable", 5],
  ["service-stopping", 5],
  ["outcome-unknown", 125],
  ["deadline-exceeded", 125],
];

for (const [code, exitCode] of EXIT_CODES) {
  test(`\`${code}\` exits with ${exitCode}`, () => {
    assert.equal(failureOf(new OutworkError(code, "so it is")).exitCode, exitCode);
  });
}

test("a failure is a line, and a hint when there is one", () => {
  assert.deepEqual(failureOf(new OutworkError("tool-failed", "it did not work")), {
    exitCode: 1,
    text: "outwork: it did not work",
  });
  const facts = { hint: "ask for less" };
  assert.equal(
    failureOf(new OutworkError("ceiling-exceeded", "too much", { facts })).text,
    "outwork: too much\n  hint: ask for less",
  );
});

test("errors of the command line itself have their own codes", () => {
  assert.equal(failureOf(new UsageError("no")).exitCode, 2);
  assert.equal(failureOf(new OutcomeUnknownError("who knows")).exitCode, 125);
  assert.equal(failureOf(new Error("boom")).exitCode, 1);
  assert.equal(failureOf("boom").text, "outwork: boom");
});

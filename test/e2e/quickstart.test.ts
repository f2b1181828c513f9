import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { asUser } from "../support/as-user.ts";

const QUICKSTART = fileURLToPath(new URL("../../src/quickstart/main.js", import.meta.url));

test("the tour of the quick start holds for an ordinary user, step by step", async () => {
  const { exitCode, stdout, stderr } = await asUser(QUICKSTART, []);
  assert.equal(stderr, "");
  const marks = stdout
    .toString()
    .split("\n")
    .map((line) => line.slice(0, 2));
  assert.deepEqual([exitCode, marks.filter((mark) => mark === "✓ ").length], [0, 8]);
});

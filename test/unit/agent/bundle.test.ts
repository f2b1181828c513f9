import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("the agent carries no schema library, which would double what an idle environment weighs", async () => {
  const bundle = await readFile("dist/agent/agent.cjs", "utf8");
  assert.ok(bundle.length > 50_000, "this is not the agent");
  assert.equal(bundle.includes("ZodError"), false);
});

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const BUNDLES = { agent: 50_000, "apply-patch": 20_000 };

for (const [name, leastBytes] of Object.entries(BUNDLES)) {
  test(`${name} carries no schema library, which would double what it weighs`, async () => {
    const bundle = await readFile(`dist/agent/${name}.cjs`, "utf8");
    assert.ok(bundle.length > leastBytes, "this is not the program");
    assert.equal(bundle.includes("ZodError"), false);
  });
}

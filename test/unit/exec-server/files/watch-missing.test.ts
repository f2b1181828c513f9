import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { watchMissing } from "../../../../src/exec-server/files/index.ts";
import { uriOf } from "../../../../src/exec-server/path-uri.ts";
import { scratch } from "../../../support/exec-server/scratch.ts";

test("what exists, or is missing where it should exist, cannot be watched", async (t) => {
  const root = await scratch(t);
  await mkdir(join(root, "there"));
  const there = uriOf(join(root, "there"));
  const nowhere = uriOf(join(root, "nowhere"));
  assert.equal(await watchMissing({ missing: [there], present: null }), null);
  assert.equal(await watchMissing({ missing: [nowhere, there], present: null }), null);
  assert.equal(await watchMissing({ missing: [nowhere], present: nowhere }), null);
});

const CHANGES: Record<string, (root: string) => Promise<unknown>> = {
  "the path appears": (root) => writeFile(join(root, "missing"), ""),
  "a folder above a deeper path appears": (root) => mkdir(join(root, "a")),
  "what is present goes away": (root) => rm(join(root, "present")),
  "the watched folder goes away": (root) => rm(root, { recursive: true }),
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`a watch reports that ${what}`, async (t) => {
    const root = join(await scratch(t), "watched");
    await mkdir(root);
    await writeFile(join(root, "present"), "");
    using watch = await watchMissing({
      missing: [uriOf(join(root, "missing")), uriOf(join(root, "a/b/c"))],
      present: uriOf(join(root, "present")),
    });
    assert.ok(watch);
    await change(root);
    await watch.changed;
  });
}

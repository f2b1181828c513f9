import assert from "node:assert/strict";
import { closeSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SeccompFilters } from "../../../../src/agent/sandbox/seccomp/filters.ts";

test("every launcher reads a filter from its start, and no file of it has a name", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "outwork-filters-"));
  t.after(() => rm(folder, { recursive: true }));
  const filters = new SeccompFilters(folder);
  const [first, second] = [filters.open("off"), filters.open("off")];
  const program = readFileSync(first);
  assert.ok(program.length > 0 && program.length % 8 === 0);
  assert.deepEqual(readFileSync(second), program);
  assert.deepEqual(await readdir(folder), []);
  for (const descriptor of [first, second]) closeSync(descriptor);
});

test("PO-13: a filter that cannot be written is a refusal, and no command without it", () => {
  const filters = new SeccompFilters("/nonexistent/folder");
  assert.throws(() => filters.open("off"), {
    code: "enforcement-missing",
    message: /its sandbox could not be built: ENOENT/,
  });
});

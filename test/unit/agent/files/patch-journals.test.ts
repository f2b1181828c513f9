import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PatchJournals } from "../../../../src/agent/files/patch-journals.ts";

const files = { write: ["/workspace"], protected_names: [".git"] };

test("each policy has a folder of journals of its own, which nobody else can open", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "outwork-journals-"));
  t.after(() => rm(root, { recursive: true }));
  const journals = new PatchJournals(join(root, "journals"));
  const folder = journals.folderOf(files);
  assert.ok(folder);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.equal(journals.folderOf(files), folder);
  assert.notEqual(journals.folderOf({ ...files, write: [] }), folder);
  assert.equal(journals.isOpen(folder), false);
  await writeFile(join(folder, "1"), "");
  assert.equal(journals.isOpen(folder), true);
});

test("where no folder can be made there is none, and no error", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "outwork-journals-"));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, "file"), "");
  assert.equal(new PatchJournals(join(root, "file")).folderOf(files), null);
});

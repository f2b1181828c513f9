import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openFile } from "../../../../src/exec-server/files/index.ts";
import { uriOf } from "../../../../src/exec-server/path-uri.ts";
import { scratch } from "../../../support/exec-server/scratch.ts";

test("reads are positional and short only at the end", async (t) => {
  const path = join(await scratch(t), "f");
  await writeFile(path, "hello world");
  await using file = await openFile(uriOf(path), "read");
  const text = async (offset: bigint, length: number) =>
    Buffer.from(await file.read({ offset, length })).toString();
  assert.equal(await text(6n, 50), "world");
  assert.equal(await text(0n, 5), "hello");
  assert.equal(await text(11n, 5), "");
  assert.equal(await text(2n ** 62n, 5), "");
});

test("writes are positional, leave gaps, and begin with an empty file", async (t) => {
  const path = join(await scratch(t), "f");
  await writeFile(path, "old content");
  await using file = await openFile(uriOf(path), "replace");
  assert.equal(await readFile(path, "utf8"), "");
  await file.write(4n, Buffer.from("xyz"));
  await file.write(0n, Buffer.from("ab"));
  assert.equal(await readFile(path, "latin1"), "ab\0\0xyz");
  await assert.rejects(file.write(2n ** 62n, Buffer.from("x")), {
    code: -32603,
    message: "File too large (os error 27)",
  });
});

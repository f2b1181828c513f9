import assert from "node:assert/strict";
import { test } from "node:test";
import { interpreterOf } from "../../../../src/placements/toolbox/elf.ts";
import { librariesOf } from "../../../../src/placements/toolbox/libraries.ts";

test("a program names its loader, a static one has none, and a script is refused", async () => {
  const loader = await interpreterOf(process.execPath);
  assert.match(String(loader), /^\/lib.*\/ld-/);
  assert.equal(await interpreterOf("/bin/busybox"), null);
  await assert.rejects(
    interpreterOf(import.meta.filename),
    /is not a 64-bit little-endian ELF file/,
  );
});

test("the host's own loader says which libraries a program needs", async () => {
  const loader = (await interpreterOf(process.execPath)) ?? "";
  const libraries = await librariesOf(process.execPath, loader);
  assert.match(libraries.get("libc.so.6") ?? "", /^\/.*libc/);
  assert.ok([...libraries.values()].every((path) => path.startsWith("/")));
});

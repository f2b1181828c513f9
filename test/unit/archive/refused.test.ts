import assert from "node:assert/strict";
import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { extractTar, MAX_ENTRIES } from "../../../src/archive/extract.ts";
import { OutworkError } from "../../../src/errors.ts";
import { readTree, temporaryFolder } from "../../support/tree.ts";
import { type Entry, pieces, tarOf, withChecksum } from "./tars.ts";

type Refusal = { code: string; entry: unknown; rule: unknown; entries: unknown };

async function refusalOf(unpacking: Promise<unknown>): Promise<Refusal> {
  const error = await unpacking.then(
    () => assert.fail("nothing was refused"),
    (reason: unknown) => reason,
  );
  assert(error instanceof OutworkError, String(error));
  const { entry, rule, entries } = error.facts;
  return { code: error.code, entry, rule, entries };
}

function refused(entry: string, rule: string, entries: number): Refusal {
  return { code: "archive-refused", entry, rule, entries };
}

/** A target folder with a file beside it that no archive may reach. */
async function guardedTarget(t: TestContext): Promise<{ target: string; outside: string }> {
  const outside = await temporaryFolder(t);
  const target = join(outside, "target");
  await mkdir(target);
  await writeFile(join(outside, "secret"), "secret");
  return { target, outside };
}

const UNSAFE: [Entry, string][] = [
  [{ name: "../x" }, "parent-segment"],
  [{ name: "a/../../x" }, "parent-segment"],
  [{ name: "/tmp/x" }, "absolute-path"],
  [{ name: "x\0y", pax: { path: "x\0y" } }, "nul"],
  [{ name: "./" }, "empty-name"],
  [{ name: "out", type: "symlink", linkname: "../secret" }, "link-leads-out"],
  [{ name: "out", type: "symlink", linkname: "/etc/passwd" }, "link-leads-out"],
  [{ name: "out", type: "symlink", linkname: "a/../../secret" }, "link-leads-out"],
  [{ name: "out", type: "link", linkname: "../secret" }, "link-leads-out"],
  [{ name: "out", type: "link", linkname: "/etc/passwd" }, "link-leads-out"],
  [{ name: "out", type: "link", linkname: "nowhere/at all" }, "link-target-missing"],
  [{ name: "out", type: "link", linkname: "." }, "link-target-missing"],
  [{ name: "device", type: "block-device", devmajor: 8 }, "unsupported-type"],
  [{ name: "device", type: "character-device", devmajor: 1, devminor: 3 }, "unsupported-type"],
  [{ name: "pipe", type: "fifo" }, "unsupported-type"],
  [{ name: "sparse", pax: { "GNU.sparse.major": "1" } }, "unsupported-type"],
  [{ name: "b\u{fffd}d", pax: {} }, "not-utf8"],
  [{ name: "n".repeat(256) }, "name-too-long"],
  [{ name: `${"d/".repeat(256)}d` }, "too-deep"],
];

test("FS-05: an unsafe entry is refused by its name and its rule, and nothing of it stays", async (t) => {
  for (const [entry, rule] of UNSAFE) {
    const { target, outside } = await guardedTarget(t);
    const tar = await tarOf({ name: "before" }, entry, { name: "after" });
    assert.deepEqual(
      await refusalOf(extractTar(pieces(tar), target)),
      refused(entry.name, rule, 1),
    );
    assert.deepEqual(await readdir(target), ["before"], entry.name);
    assert.deepEqual(await readdir(outside), ["secret", "target"], entry.name);
  }
});

test("FS-05: a sparse file in GNU's old form is refused before its size means anything", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf({ name: "sparse" });
  tar.write("S", 156);
  withChecksum(tar);
  assert.deepEqual(
    await refusalOf(extractTar(pieces(tar), target)),
    refused("sparse", "unsupported-type", 0),
  );
});

test("FS-05: the entry after a million, or after what the caller allows, is refused", async (t) => {
  assert.equal(MAX_ENTRIES, 1_000_000);
  const target = await temporaryFolder(t);
  const tar = await tarOf({ name: "a" }, { name: "b" }, { name: "c" });
  assert.equal((await extractTar(pieces(tar), target, { maxEntries: 3 })).entries, 3);
  assert.deepEqual(
    await refusalOf(extractTar(pieces(tar), target, { maxEntries: 2 })),
    refused("c", "too-many-entries", 2),
  );
});

test("FS-11: nothing is written through a link that the archive made itself", async (t) => {
  const link: Entry = { name: "d", type: "symlink", linkname: "inside" };
  const inside: Entry = { name: "inside/", type: "directory" };
  const variants: [Entry[], Entry, string][] = [
    [[inside, link], { name: "d/x", content: "through" }, "link-in-path"],
    [[inside, link], { name: "d/", type: "directory" }, "link-in-path"],
    [[inside, link], { name: "h", type: "link", linkname: "d/x" }, "link-in-path"],
    [[link], { name: "d/x/", type: "directory" }, "link-in-path"],
    [
      [{ name: "x" }, { name: "d", type: "symlink", linkname: "x" }],
      { name: "h", type: "link", linkname: "d" },
      "link-target-missing",
    ],
  ];
  for (const [before, through, rule] of variants) {
    const { target, outside } = await guardedTarget(t);
    const tar = await tarOf(...before, through);
    const expected = refused(through.name, rule, before.length);
    assert.deepEqual(await refusalOf(extractTar(pieces(tar), target)), expected);
    assert.deepEqual(await readdir(outside), ["secret", "target"]);
  }
});

test("FS-11: nothing is written through a link that stood there before", async (t) => {
  const { target, outside } = await guardedTarget(t);
  await symlink("..", join(target, "up"));
  for (const name of ["up/new", "up/secret", "up/sub/new"]) {
    const unpacking = extractTar(pieces(await tarOf({ name, content: "x" })), target);
    assert.deepEqual(await refusalOf(unpacking), refused(name, "link-in-path", 0));
  }
  const tar = await tarOf({ name: "copy", type: "link", linkname: "up/secret" });
  assert.deepEqual(
    await refusalOf(extractTar(pieces(tar), target)),
    refused("copy", "link-in-path", 0),
  );
  assert.deepEqual(await readdir(outside), ["secret", "target"]);
  assert.deepEqual(await readTree(target), { up: { link: ".." } });
});

test("FS-11: a folder that becomes a link while it is written leads nothing outside", async (t) => {
  const { target, outside } = await guardedTarget(t);
  const big = Buffer.alloc(1_000_000, "b");
  const tar = await tarOf({ name: "d/big", content: big }, { name: "e" }, { name: "d/after" });
  async function* source(): AsyncGenerator<Buffer> {
    yield tar.subarray(0, 500_000);
    while (!(await readdir(target)).includes("d")) await setTimeout(1);
    await rename(join(target, "d"), join(target, "moved"));
    await symlink("..", join(target, "d"));
    yield tar.subarray(500_000);
  }
  const expected = refused("d/after", "link-in-path", 2);
  assert.deepEqual(await refusalOf(extractTar(source(), target)), expected);
  assert.deepEqual(await readdir(outside), ["secret", "target"]);
  assert.deepEqual(await readdir(join(target, "moved")), ["big"]);
});

test("a folder never gives way to something else, nor something else to a folder", async (t) => {
  const target = await temporaryFolder(t);
  await extractTar(pieces(await tarOf({ name: "folder/kept" }, { name: "file" })), target);
  const conflicts: Entry[] = [
    { name: "folder", content: "now a file" },
    { name: "folder", type: "symlink", linkname: "file" },
    { name: "folder", type: "link", linkname: "file" },
    { name: "file/", type: "directory" },
    { name: "file/in it", content: "x" },
  ];
  for (const entry of conflicts) {
    const unpacking = extractTar(pieces(await tarOf(entry)), target);
    assert.deepEqual(await refusalOf(unpacking), refused(entry.name, "type-conflict", 0));
  }
  assert.deepEqual(Object.keys(await readTree(target)), ["file", "folder", "folder/kept"]);
});

test("FS-02: a stream cut anywhere before its end mark is refused, with what came", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf(
    { name: "a", content: "a" },
    { name: "zeros", content: Buffer.alloc(900) },
  );
  const cuts = [0, 1, 511, 512, 700, 1024, 1025, 1536, 2048, 2559, 2560, tar.length - 1024];
  for (const bytes of cuts) {
    const error = await extractTar(pieces(tar.subarray(0, bytes)), target).catch((e: unknown) => e);
    assert(error instanceof OutworkError);
    const { rule, bytes: read } = error.facts;
    assert.deepEqual([error.code, rule, read], ["archive-refused", "broken", bytes]);
  }
  assert.deepEqual(await readdir(target), ["a", "zeros"]);
});

test("FS-02: a half-sent file never has its name, and leaves nothing behind", async (t) => {
  const target = await temporaryFolder(t);
  await writeFile(join(target, "b"), "as it was");
  const tar = await tarOf({ name: "a" }, { name: "b", content: Buffer.alloc(100_000, "b") });
  const unpacking = extractTar(pieces(tar.subarray(0, 60_000)), target);
  assert.deepEqual(await refusalOf(unpacking), refused("b", "broken", 1));
  const tree = await readTree(target);
  assert.deepEqual(Object.keys(tree), ["a", "b"]);
});

test("a stream that is no tar is refused", async (t) => {
  const target = await temporaryFolder(t);
  const noise = Buffer.alloc(4096, "not a tar ");
  assert.deepEqual(await refusalOf(extractTar(pieces(noise), target)), refused("", "broken", 0));
  const tar = await tarOf({ name: "a", content: "a" });
  tar.copy(tar, 1024, 0, 512);
  tar.write("9", 1024 + 124);
  assert.deepEqual(await refusalOf(extractTar(pieces(tar), target)), refused("a", "broken", 1));
});

test("the failure of the source is the failure of the unpacking", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf({ name: "a", content: Buffer.alloc(9_000) });
  const broken = new Error("the connection broke");
  async function* source(): AsyncGenerator<Buffer> {
    yield tar.subarray(0, 5_000);
    throw broken;
  }
  await assert.rejects(extractTar(source(), target), (error) => error === broken);
  assert.deepEqual(await readdir(target), []);
});

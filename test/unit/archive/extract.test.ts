import assert from "node:assert/strict";
import { link, lstat, mkdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { extractTar } from "../../../src/archive/extract.ts";
import { readTree, sha256, temporaryFolder } from "../../support/tree.ts";
import { type Entry, pieces, tarOf, withChecksum } from "./tars.ts";

const MTIME = new Date("2020-02-03T04:05:06Z");
const mtimeSeconds = MTIME.getTime() / 1000;

const FOLDER: Entry = { name: "./", type: "directory", mode: 0o700, mtime: MTIME };

test("an archive becomes files, folders and links with its permissions and times", async (t) => {
  const target = join(await temporaryFolder(t), "made", "on the way");
  const tar = await tarOf(
    FOLDER,
    { name: "bin/", type: "directory", mode: 0o555, mtime: MTIME },
    { name: "bin/run", mode: 0o755, mtime: MTIME, content: "#!/bin/sh\n" },
    { name: "bin/again", type: "symlink", linkname: "run" },
    { name: "same", type: "link", linkname: "./bin/run" },
    { name: "empty", mode: 0o600, mtime: MTIME },
  );
  const result = await extractTar(pieces(tar), target);
  assert.deepEqual(result, { entries: 6, bytes: tar.length, sha256: sha256(tar) });
  const run = { mode: "755", mtimeSeconds, sha256: sha256("#!/bin/sh\n") };
  assert.deepEqual(await readTree(target), {
    bin: { mode: "555", mtimeSeconds },
    "bin/again": { link: "run" },
    "bin/run": run,
    same: run,
    empty: { mode: "600", mtimeSeconds, sha256: sha256("") },
  });
  const [one, other] = await Promise.all([
    stat(join(target, "same")),
    stat(join(target, "bin/run")),
  ]);
  assert.equal(one.ino, other.ino);
});

test("an archive gives nobody another user's rights", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf(
    { name: "program", mode: 0o6755, mtime: MTIME, uid: 4321, gid: 4321 },
    { name: "folder", type: "directory", mode: 0o7777, mtime: MTIME },
  );
  await extractTar(pieces(tar), target);
  assert.deepEqual(await readTree(target), {
    folder: { mode: "1777", mtimeSeconds },
    program: { mode: "755", mtimeSeconds, sha256: sha256("") },
  });
  assert.equal((await stat(join(target, "program"))).uid, process.getuid?.());
});

test("FS-05: an entry for the target folder leaves the folder's own attributes alone", async (t) => {
  const target = await temporaryFolder(t);
  await utimes(target, MTIME, MTIME);
  const before = await stat(target);
  await extractTar(pieces(await tarOf({ ...FOLDER, mode: 0o777, mtime: new Date(0) })), target);
  const after = await stat(target);
  assert.deepEqual([after.mode, after.mtimeMs], [before.mode, before.mtimeMs]);
});

test("a folder that was there before keeps its permissions, and its other files", async (t) => {
  const target = await temporaryFolder(t);
  await mkdir(join(target, "kept"), { mode: 0o750 });
  await writeFile(join(target, "kept/old"), "old");
  const tar = await tarOf(
    { name: "kept/", type: "directory", mode: 0o777 },
    { name: "kept/new", content: "new" },
  );
  await extractTar(pieces(tar), target);
  assert.equal(((await stat(join(target, "kept"))).mode & 0o777).toString(8), "750");
  assert.deepEqual(Object.keys(await readTree(target)), ["kept", "kept/new", "kept/old"]);
});

test("a file that is replaced keeps its other names untouched", async (t) => {
  const target = await temporaryFolder(t);
  await writeFile(join(target, "a"), "old");
  await link(join(target, "a"), join(target, "other name of a"));
  await extractTar(pieces(await tarOf({ name: "a", content: "new" })), target);
  assert.equal(await readFile(join(target, "a"), "utf8"), "new");
  assert.equal(await readFile(join(target, "other name of a"), "utf8"), "old");
});

test("a link on the disk is replaced itself, never what it points to", async (t) => {
  const folder = await temporaryFolder(t);
  const target = join(folder, "target");
  await mkdir(target);
  await writeFile(join(folder, "outside"), "untouched");
  await symlink("../outside", join(target, "a"));
  await extractTar(pieces(await tarOf({ name: "a", content: "new" })), target);
  assert.equal((await lstat(join(target, "a"))).isFile(), true);
  assert.equal(await readFile(join(folder, "outside"), "utf8"), "untouched");
});

test("of two entries with one name the later one stays", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf(
    { name: "a", content: "first" },
    { name: "./a", type: "symlink", linkname: "b" },
    { name: "b", type: "symlink", linkname: "a" },
    { name: "b", content: "last" },
    { name: "c", type: "link", linkname: "b" },
    { name: "c", type: "link", linkname: "b" },
  );
  assert.equal((await extractTar(pieces(tar), target)).entries, 6);
  const tree = await readTree(target);
  assert.deepEqual(
    Object.entries(tree).map(([name, { link: to, sha256: content }]) => [name, to ?? content]),
    [
      ["a", "b"],
      ["b", sha256("last")],
      ["c", sha256("last")],
    ],
  );
});

test("FS-02: an upload that answers is on the disk, at every size and in every cut", async (t) => {
  const target = await temporaryFolder(t);
  for (const size of [0, 1, 511, 512, 513, 17 << 10, 18 << 10, 19 << 10, 1 << 20]) {
    const content = Buffer.alloc(size, `${size} `);
    const tar = await tarOf({ name: `file-${size}`, content });
    for (const pieceBytes of [1_009, 65_536, tar.length]) {
      const result = await extractTar(pieces(tar, pieceBytes), target);
      assert.deepEqual(result, { entries: 1, bytes: tar.length, sha256: sha256(tar) });
      assert.equal(sha256(await readFile(join(target, `file-${size}`))), sha256(content));
    }
  }
});

test("FS-06: sizes in base 256 and in an extended header are read", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf({ name: "a", content: "twelve bytes" });
  const base256 = Buffer.from(tar);
  base256.fill(0, 124, 136);
  base256[124] = 0x80;
  base256[135] = 12;
  withChecksum(base256);
  await extractTar(pieces(base256), target);
  assert.equal(await readFile(join(target, "a"), "utf8"), "twelve bytes");

  const extended = await tarOf({ name: "b", content: "twelve bytes", pax: { size: "12" } });
  const header = extended.subarray(1024, 1536);
  header.fill(0, 124, 136);
  withChecksum(header);
  await extractTar(pieces(extended), target);
  assert.equal(await readFile(join(target, "b"), "utf8"), "twelve bytes");
});

test("names that are not UTF-8 stay apart and stay as they are", async (t) => {
  const target = await temporaryFolder(t);
  const tar = await tarOf({ name: "?1", content: "one" }, { name: "?2", content: "two" });
  for (const [start, byte] of [
    [0, 0xfe],
    [1024, 0xff],
  ] as const) {
    const header = tar.subarray(start, start + 512);
    header[0] = byte;
    header[1] = 0xff;
    withChecksum(header);
  }
  await extractTar(pieces(tar), target);
  const read = (name: number[]) =>
    readFile(Buffer.concat([Buffer.from(`${target}/`), Buffer.from(name)]), "utf8");
  assert.deepEqual([await read([0xfe, 0xff]), await read([0xff, 0xff])], ["one", "two"]);
});

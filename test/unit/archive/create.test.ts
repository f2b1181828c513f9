import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  chmod,
  link,
  mkdir,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { createTar } from "../../../src/archive/create.ts";
import { OutworkError } from "../../../src/errors.ts";
import { temporaryFolder } from "../../support/tree.ts";

/** Lines of `tar -tv`: another program's idea of what we wrote. */
async function listed(path: string): Promise<string[]> {
  const input = await buffer(createTar(path));
  const args = ["-tv", "--utc", "--full-time", "--numeric-owner"];
  const lines = execFileSync("tar", args, { input, encoding: "utf8" }).trimEnd().split("\n");
  return lines.map((line) => line.replaceAll(/ +/g, " ")).sort();
}

async function codeAndPath(reading: Promise<unknown>): Promise<unknown> {
  const error = await reading.catch((reason: unknown) => reason);
  assert(error instanceof OutworkError, String(error));
  return [error.code, error.facts.path ?? error.facts.entry];
}

const MTIME = new Date("2020-02-03T04:05:06Z");
const WHEN = "2020-02-03 04:05:06";

test("a folder gives its content below ./, links as links, times and permissions kept", async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "sub"));
  await writeFile(join(folder, "sub/file"), "twelve bytes", { mode: 0o640 });
  await writeFile(join(folder, "no rights"), "", { mode: 0o4000 });
  await chmod(join(folder, "no rights"), 0o4400);
  await link(join(folder, "sub/file"), join(folder, "second name"));
  await symlink("/outside", join(folder, "link"));
  for (const path of ["sub/file", "no rights", "sub"])
    await utimes(join(folder, path), MTIME, MTIME);
  const lines = await listed(folder);
  assert.deepEqual(
    lines.map((line) => line.replace(/(link -> .*)/, "$1")).filter((line) => !line.startsWith("l")),
    [
      `-r-------- 0/0 0 ${WHEN} ./no rights`,
      `-rw-r----- 0/0 12 ${WHEN} ./second name`,
      `-rw-r----- 0/0 12 ${WHEN} ./sub/file`,
      `drwxr-xr-x 0/0 0 ${WHEN} ./sub/`,
    ],
  );
  assert.match(lines.at(-1) ?? "", /^lrwxrwxrwx 0\/0 0 .* \.\/link -> \/outside$/);
});

test("a file gives itself by its name, by way of a link too", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "file"), "twelve bytes", { mode: 0o600 });
  await utimes(join(folder, "file"), MTIME, MTIME);
  await symlink("file", join(folder, "link"));
  assert.deepEqual(await listed(join(folder, "file")), [`-rw------- 0/0 12 ${WHEN} file`]);
  assert.deepEqual(await listed(join(folder, "link")), [`-rw------- 0/0 12 ${WHEN} link`]);
});

test("sockets and fifos hold no content and are left out", async (t) => {
  const folder = await temporaryFolder(t);
  execFileSync("mkfifo", [join(folder, "fifo")]);
  const server = createServer().listen(join(folder, "socket"));
  t.after(() => server.close());
  await once(server, "listening");
  await writeFile(join(folder, "file"), "");
  assert.equal((await listed(folder)).length, 1);
  for (const path of [join(folder, "fifo"), join(folder, "socket")]) {
    assert.deepEqual(await codeAndPath(buffer(createTar(path))), ["path-not-found", path]);
  }
});

test("an empty folder gives an empty archive", async (t) => {
  assert.deepEqual(await buffer(createTar(await temporaryFolder(t))), Buffer.alloc(1024));
});

test("what does not exist is named", async () => {
  const reading = buffer(createTar("/no/such/path"));
  assert.deepEqual(await codeAndPath(reading), ["path-not-found", "/no/such/path"]);
});

test("what could not be unpacked again is named", async (t) => {
  const folder = await temporaryFolder(t);
  const deep = Array.from({ length: 257 }, () => "d").join("/");
  await mkdir(join(folder, deep), { recursive: true });
  assert.deepEqual(await codeAndPath(buffer(createTar(folder))), ["archive-refused", `./${deep}`]);
});

test("a file that grows is taken at the size it had, one that shrinks is named", async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, "log");
  await writeFile(file, Buffer.alloc(4_000_000));
  const growing = createTar(folder);
  await once(growing, "readable");
  await appendFile(file, "more");
  assert.equal((await buffer(growing)).length, 512 + 4_000_256 + 1024);

  const shrinking = createTar(folder);
  await once(shrinking, "readable");
  await truncate(file, 10);
  assert.deepEqual(await codeAndPath(buffer(shrinking)), ["archive-refused", "./log"]);
});

test("FS-06: a file of more than 8 GiB is announced at its right size", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "huge"), "");
  await truncate(join(folder, "huge"), 2 ** 33 + 1);
  const tar = createTar(folder);
  await once(tar, "readable");
  const header = tar.read(512) as Buffer;
  tar.destroy();
  assert.equal(header[124], 0x80);
  assert.equal(header.readBigUInt64BE(128), 2n ** 33n + 1n);
});

test("FS-06: a slow reader of many small entries gets them all, and nothing runs ahead", async (t) => {
  const folder = await temporaryFolder(t);
  const count = 2_000;
  for (let made = 0; made < count; made += 1) await writeFile(join(folder, `${made}`), "");
  const tar = createTar(folder);
  let bytes = 0;
  let ahead = 0;
  for await (const chunk of tar) {
    bytes += (chunk as Buffer).length;
    ahead = Math.max(ahead, tar.readableLength);
    if (bytes % 51_200 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal(bytes, count * 512 + 1024);
  assert(ahead <= 2 * tar.readableHighWaterMark, `${ahead} bytes waited`);
});

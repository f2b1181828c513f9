import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { callFiles } from "../../../../src/exec-server/files/index.ts";
import { MAX_READ_FILE_BYTES } from "../../../../src/exec-server/limits.ts";
import { parsePathUri, uriOf } from "../../../../src/exec-server/path-uri.ts";
import { RpcError } from "../../../../src/exec-server/rpc-error.ts";
import { scratch } from "../../../support/exec-server/scratch.ts";

async function failure(work: Promise<unknown>): Promise<[number, string] | string> {
  try {
    return `succeeded: ${JSON.stringify(await work)}`;
  } catch (error) {
    assert.ok(error instanceof RpcError, String(error));
    return [error.code, error.message];
  }
}

const read = (path: string, followSymlinks = true) =>
  callFiles("fs/readFile", { path: uriOf(path), followSymlinks });

const write = (path: string, text: string, followSymlinks = true) =>
  callFiles("fs/writeFile", { path: uriOf(path), data: Buffer.from(text), followSymlinks });

const copy = (from: string, to: string, recursive = true) =>
  callFiles("fs/copy", { sourcePath: uriOf(from), destinationPath: uriOf(to), recursive });

const walk = (path: string, options: object = {}) =>
  callFiles("fs/walk", {
    path: uriOf(path),
    options: {
      maxDepth: 8,
      maxDirectories: 100,
      maxEntries: 100,
      followDirectorySymlinks: false,
      pruneHiddenDirectories: false,
      ...options,
    },
  });

function fifo(path: string): void {
  execFileSync("mkfifo", [path]);
}

test("ES-06: special files are not files, and nothing hangs on a FIFO", async (t) => {
  const root = await scratch(t);
  const pipe = join(root, "pipe");
  fifo(pipe);
  const notAFile = [-32600, `path \`${pipe}\` is not a file`];
  assert.deepEqual(await failure(read(pipe)), notAFile);
  assert.deepEqual(await failure(write(pipe, "x")), notAFile);
  assert.deepEqual(await failure(copy(join(root, "a"), pipe)), [
    -32004,
    "No such file or directory (os error 2)",
  ]);
  await writeFile(join(root, "a"), "a");
  assert.deepEqual(await failure(copy(join(root, "a"), pipe)), notAFile);
  assert.deepEqual(await failure(read("/dev/zero")), [-32600, "path `/dev/zero` is not a file"]);
  assert.deepEqual(await write("/dev/null", "x"), {});
});

test("ES-06: a file of the limit is read, one byte more is told about block reads", async (t) => {
  const root = await scratch(t);
  const big = join(root, "big");
  await writeFile(big, "");
  await truncate(big, MAX_READ_FILE_BYTES);
  assert.equal((await read(big)).data.length, MAX_READ_FILE_BYTES);
  await truncate(big, MAX_READ_FILE_BYTES + 1);
  const limit = `limit is ${MAX_READ_FILE_BYTES} bytes; fs/open reads it in blocks`;
  assert.deepEqual(await failure(read(big)), [-32600, `file is too large to read: ${limit}`]);
  await truncate(big, 2 ** 40);
  assert.deepEqual(await failure(read(big)), [-32600, `file is too large to read: ${limit}`]);
});

test("ES-06: a file whose size says nothing is read to its end", async () => {
  assert.match(Buffer.from((await read("/proc/self/status")).data).toString(), /^Name:/);
});

test("writing keeps mode, hard links and symbolic links", async (t) => {
  const root = await scratch(t);
  const [file, hard, soft] = ["file", "hard", "soft"].map((name) => join(root, name));
  assert.ok(file && hard && soft);
  await writeFile(file, "old");
  await chmod(file, 0o750);
  await link(file, hard);
  await symlink("file", soft);
  await write(soft, "new");
  assert.equal(await readFile(hard, "utf8"), "new");
  assert.equal((await stat(file)).mode & 0o777, 0o750);
  assert.equal(await readlink(soft), "file");
});

test("without following, no component may be a link", async (t) => {
  const root = await scratch(t);
  await mkdir(join(root, "real"));
  await writeFile(join(root, "real/f"), "x");
  await symlink("real", join(root, "lnd"));
  await symlink("real/f", join(root, "lnf"));
  const middle = [-32603, "Not a directory (os error 20)"];
  const end = [-32603, "Symbolic link loop (os error 40)"];
  assert.equal(Buffer.from((await read(join(root, "real/f"), false)).data).toString(), "x");
  assert.deepEqual(await failure(read(join(root, "lnd/f"), false)), middle);
  assert.deepEqual(await failure(read(join(root, "lnf"), false)), end);
  assert.deepEqual(await failure(write(join(root, "lnd/new"), "x", false)), middle);
  assert.deepEqual(await failure(write(join(root, "lnf"), "x", false)), end);
  const metadata = (name: string) =>
    callFiles("fs/getMetadata", { path: uriOf(join(root, name)), followSymlinks: false });
  assert.deepEqual(await failure(metadata("lnf")), [-32600, "path contains a symbolic link"]);
  assert.deepEqual(await failure(metadata("lnd/f")), middle);
  const remove = (name: string) =>
    callFiles("fs/remove", {
      path: uriOf(join(root, name)),
      recursive: false,
      force: true,
      followSymlinks: false,
    });
  assert.deepEqual(await failure(remove("lnf")), [-32600, "path contains a symbolic link"]);
  assert.deepEqual(await failure(remove("lnd/f")), middle);
  assert.deepEqual(await remove("real/f"), {});
  const create = (name: string, recursive: boolean) =>
    callFiles("fs/createDirectory", {
      path: uriOf(join(root, name)),
      recursive,
      followSymlinks: false,
    });
  assert.deepEqual(await failure(create("lnd/q", true)), middle);
  assert.deepEqual(await create("n/x/y", true), {});
  assert.deepEqual(await failure(create("n/x", false)), [-32603, "File exists (os error 17)"]);
});

test("a file copied onto itself, by whatever name, stays as it is", async (t) => {
  const root = await scratch(t);
  const file = join(root, "file");
  await writeFile(file, "content");
  await link(file, join(root, "hard"));
  await symlink("file", join(root, "soft"));
  for (const name of ["file", "hard", "soft", "./x/../file"]) {
    await mkdir(join(root, "x"), { recursive: true });
    assert.deepEqual(await copy(file, `${root}/${name}`), {});
    assert.equal(await readFile(file, "utf8"), "content");
  }
});

test("a copied folder merges, takes links as links and leaves special files out", async (t) => {
  const root = await scratch(t);
  await mkdir(join(root, "from/sub"), { recursive: true });
  await writeFile(join(root, "from/sub/f"), "new");
  await chmod(join(root, "from/sub/f"), 0o751);
  await symlink("nowhere", join(root, "from/dangling"));
  fifo(join(root, "from/pipe"));
  await mkdir(join(root, "to/sub"), { recursive: true });
  await writeFile(join(root, "to/sub/f"), "longer old text");
  await writeFile(join(root, "to/kept"), "kept");
  assert.deepEqual(await copy(join(root, "from"), join(root, "to")), {});
  assert.deepEqual((await readdir(join(root, "to"))).sort(), ["dangling", "kept", "sub"]);
  assert.equal(await readFile(join(root, "to/sub/f"), "utf8"), "new");
  assert.equal((await stat(join(root, "to/sub/f"))).mode & 0o777, 0o751);
  assert.equal(await readlink(join(root, "to/dangling")), "nowhere");
  assert.deepEqual(await failure(copy(join(root, "from"), join(root, "from/sub/deep/er"))), [
    -32600,
    "fs/copy cannot copy a directory to itself or one of its descendants",
  ]);
  assert.deepEqual(await failure(copy(join(root, "from/pipe"), join(root, "p"))), [
    -32600,
    "fs/copy only supports regular files, directories, and symlinks",
  ]);
});

test("a tree is removed with its links, and what they lead to stays", async (t) => {
  const root = await scratch(t);
  await mkdir(join(root, "tree/a/b"), { recursive: true });
  await mkdir(join(root, "kept"));
  await writeFile(join(root, "kept/f"), "x");
  await symlink("../kept", join(root, "tree/link"));
  await writeFile(Buffer.concat([Buffer.from(join(root, "tree/a/bad")), Buffer.from([0xff])]), "");
  const params = { path: uriOf(join(root, "tree")), force: false, followSymlinks: true };
  assert.deepEqual(await failure(callFiles("fs/remove", { ...params, recursive: false })), [
    -32603,
    "Directory not empty (os error 39)",
  ]);
  assert.deepEqual(await callFiles("fs/remove", { ...params, recursive: true }), {});
  assert.deepEqual(await readdir(root), ["kept"]);
  assert.deepEqual(await readdir(join(root, "kept")), ["f"]);
});

test("names that are not UTF-8 are shown with a mark and opened by their bytes", async (t) => {
  const root = await scratch(t);
  const name = Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]);
  await writeFile(name, "x");
  const listing = await callFiles("fs/readDirectory", { path: uriOf(root) });
  assert.deepEqual(listing.entries, [{ fileName: "bad\uFFFD", isDirectory: false, isFile: true }]);
  const uri = parsePathUri(`${uriOf(root)}/bad%ff`);
  const { data } = await callFiles("fs/readFile", { path: uri, followSymlinks: true });
  assert.equal(Buffer.from(data).toString(), "x");
  assert.deepEqual(await walk(root), {
    entries: [{ path: `${uriOf(root)}/bad%FF`, kind: "file" }],
    errors: [],
    truncated: false,
  });
  assert.deepEqual(await callFiles("fs/canonicalize", { path: uri }), {
    path: `${uriOf(root)}/bad%FF`,
  });
});

test("a walk enters each folder once, however many links lead round in circles", async (t) => {
  const root = await scratch(t);
  await mkdir(join(root, "d/sub"), { recursive: true });
  await writeFile(join(root, "d/sub/f"), "");
  await symlink("..", join(root, "d/up"));
  await symlink("d", join(root, "again"));
  const { entries, truncated } = await walk(root, { followDirectorySymlinks: true });
  const names = entries.map(({ path }) => path.slice(uriOf(root).length + 1));
  assert.deepEqual(names, ["again", "d", "again/sub", "again/up", "again/sub/f"]);
  assert.equal(truncated, false);
});

test("a walk says when it left something out", async (t) => {
  const root = await scratch(t);
  await mkdir(join(root, "d"));
  for (const name of ["a", "b", "d/x"]) await writeFile(join(root, name), "");
  const truncated = async (options: object) => (await walk(root, options)).truncated;
  assert.equal(await truncated({ maxEntries: 4 }), false);
  assert.equal(await truncated({ maxEntries: 3 }), true);
  assert.equal(await truncated({ maxDirectories: 2 }), false);
  assert.equal(await truncated({ maxDirectories: 1 }), true);
  assert.equal(await truncated({ maxDepth: 0 }), false);
});

import type { Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, readlink, realpath, symlink } from "node:fs/promises";
import { errnoOf } from "../../errno.ts";
import type { FileParams, FileResult } from "../ports.ts";
import { invalidRequest } from "../rpc-error.ts";
import { writeAll } from "./content.ts";
import { namedEntries } from "./folders.ts";
import { child, lastName, parent, pathOf } from "./native.ts";
import { openToRead, openToWrite } from "./regular.ts";

const COPY_BLOCK_BYTES = 1_048_576;
const PERMISSION_BITS = 0o777;

export async function copy({
  sourcePath,
  destinationPath,
  recursive,
}: FileParams<"fs/copy">): Promise<FileResult<"fs/copy">> {
  const source = pathOf(sourcePath);
  const destination = pathOf(destinationPath);
  const stats = await lstat(source);
  if (stats.isDirectory()) {
    if (!recursive) {
      throw invalidRequest("fs/copy requires recursive: true when sourcePath is a directory");
    }
    await refuseInside(source, destination);
    await copyFolder(source, destination);
  } else if (!(await copyLeaf(source, destination, stats))) {
    throw invalidRequest("fs/copy only supports regular files, directories, and symlinks");
  }
  return {};
}

/** A folder copied into itself would never end. */
async function refuseInside(source: Buffer, destination: Buffer): Promise<void> {
  const from = await realpath(source, { encoding: "buffer" });
  const to = await wouldBe(destination);
  const inside = to.equals(from) || to.subarray(0, from.length + 1).equals(child(from, NOTHING));
  if (!inside) return;
  throw invalidRequest("fs/copy cannot copy a directory to itself or one of its descendants");
}

const NOTHING = Buffer.alloc(0);

/** The real path of something that need not exist yet. */
async function wouldBe(path: Buffer): Promise<Buffer> {
  try {
    return await realpath(path, { encoding: "buffer" });
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" || path.length <= 1) throw error;
    return child(await wouldBe(parent(path)), lastName(path));
  }
}

/** Merges into what is there. What cannot be copied is left out, as the reference does. */
async function copyFolder(source: Buffer, destination: Buffer): Promise<void> {
  await mkdir(destination, { recursive: true });
  for await (const { name } of namedEntries(source)) {
    const from = child(source, name);
    const to = child(destination, name);
    const stats = await lstat(from);
    if (stats.isDirectory()) await copyFolder(from, to);
    else await copyLeaf(from, to, stats);
  }
}

/** False when it is neither a file nor a link. */
async function copyLeaf(source: Buffer, destination: Buffer, stats: Stats): Promise<boolean> {
  if (stats.isSymbolicLink()) await symlink(await readlink(source, "buffer"), destination);
  else if (stats.isFile()) await copyFile(source, destination);
  else return false;
  return true;
}

async function copyFile(source: Buffer, destination: Buffer): Promise<void> {
  const from = await openToRead(source, true);
  try {
    const to = await openToWrite(destination, { followSymlinks: true, empty: false });
    try {
      if (isSame(from.stats, to.stats)) return;
      await to.handle.truncate(0);
      await copyContent(from.handle, to.handle);
      await to.handle.chmod(from.stats.mode & PERMISSION_BITS);
    } finally {
      await to.handle.close();
    }
  } finally {
    await from.handle.close();
  }
}

/** By another name, through a link, or by a hard link: copying would empty it first. */
function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

async function copyContent(from: FileHandle, to: FileHandle): Promise<void> {
  const block = Buffer.allocUnsafe(COPY_BLOCK_BYTES);
  for (;;) {
    const { bytesRead } = await from.read(block, 0, block.length, null);
    if (bytesRead === 0) return;
    await writeAll(to, block.subarray(0, bytesRead), null);
  }
}

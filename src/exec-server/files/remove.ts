import { lstat, rmdir, unlink } from "node:fs/promises";
import { errnoOf } from "../../errno.ts";
import type { FileParams, FileResult } from "../ports.ts";
import { internalError } from "../rpc-error.ts";
import { namedEntries } from "./folders.ts";
import { isLink } from "./metadata.ts";
import { child, pathOf } from "./native.ts";
import { reach } from "./no-follow.ts";

/** Removes links, never what they lead to. */
export async function remove({
  path,
  recursive,
  force,
  followSymlinks,
}: FileParams<"fs/remove">): Promise<FileResult<"fs/remove">> {
  const native = pathOf(path);
  if (!followSymlinks && recursive) {
    throw internalError("recursive no-follow removal is unsupported");
  }
  try {
    if (followSymlinks) await removeAt(native, recursive);
    else await removeReal(native);
  } catch (error) {
    if (!force || errnoOf(error) !== "ENOENT") throw error;
  }
  return {};
}

async function removeReal(path: Buffer): Promise<void> {
  await using place = await reach(path);
  if ((await lstat(place.path)).isSymbolicLink()) throw isLink();
  await removeAt(place.path, false);
}

async function removeAt(path: Buffer, recursive: boolean): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return unlink(path);
  if (recursive) await empty(path);
  await rmdir(path);
}

async function empty(folder: Buffer): Promise<void> {
  for await (const entry of namedEntries(folder)) {
    const path = child(folder, entry.name);
    if (entry.isDirectory()) await removeTree(path);
    else await unlink(path).catch(unlessGone);
  }
}

async function removeTree(path: Buffer): Promise<void> {
  await empty(path);
  await rmdir(path).catch(unlessGone);
}

/** Somebody else removes here too. */
function unlessGone(error: unknown): void {
  if (errnoOf(error) !== "ENOENT") throw error;
}

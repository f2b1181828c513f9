import type { Stats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { uriOf } from "../path-uri.ts";
import type { FileParams, FileResult } from "../ports.ts";
import { invalidRequest } from "../rpc-error.ts";
import { pathOf } from "./native.ts";
import { reach } from "./no-follow.ts";

export async function getMetadata({
  path,
  followSymlinks,
}: FileParams<"fs/getMetadata">): Promise<FileResult<"fs/getMetadata">> {
  const native = pathOf(path);
  if (!followSymlinks) return shown(await realStats(native), false);
  const own = await lstat(native);
  return shown(own.isSymbolicLink() ? await stat(native) : own, own.isSymbolicLink());
}

/** @throws RpcError when the last component is a link */
async function realStats(path: Buffer): Promise<Stats> {
  await using place = await reach(path);
  const stats = await lstat(place.path);
  if (stats.isSymbolicLink()) throw isLink();
  return stats;
}

export function isLink(): Error {
  return invalidRequest("path contains a symbolic link");
}

function shown(stats: Stats, isSymlink: boolean): FileResult<"fs/getMetadata"> {
  return {
    isDirectory: stats.isDirectory(),
    isFile: stats.isFile(),
    isSymlink,
    size: stats.size,
    createdAtMs: Math.trunc(stats.birthtimeMs),
    modifiedAtMs: Math.trunc(stats.mtimeMs),
  };
}

export async function canonicalize({
  path,
}: FileParams<"fs/canonicalize">): Promise<FileResult<"fs/canonicalize">> {
  return { path: uriOf(await realpath(pathOf(path), { encoding: "buffer" })) };
}

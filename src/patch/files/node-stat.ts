import { type BigIntStats, constants } from "node:fs";
import type { FileStat } from "./port.ts";

/** Never waits for the other end of a pipe, never becomes a controlling terminal. */
const SAFELY = constants.O_NONBLOCK | constants.O_NOCTTY;
/** How regular files are opened. */
export const READ = constants.O_RDONLY | SAFELY;
export const WRITE = constants.O_WRONLY | constants.O_CREAT | SAFELY;
export const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | SAFELY;

export function statOf(stats: BigIntStats): FileStat {
  return {
    kind: kindOf(stats),
    bytes: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    links: Number(stats.nlink),
    identity: `${stats.dev}:${stats.ino}`,
    modified: String(stats.mtimeNs),
  };
}

function kindOf(stats: BigIntStats): FileStat["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}

export function notRegular(path: string): Error {
  return Object.assign(new Error(`EINVAL: '${path}' is not a regular file`), { code: "EINVAL" });
}

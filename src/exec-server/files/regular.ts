import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { errnoOf } from "../../errno.ts";
import { invalidRequest, type RpcError } from "../rpc-error.ts";
import { reach } from "./no-follow.ts";

/** Never waits for the other end of a FIFO. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const WRITE = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_CREAT;
const NEW_FILE_MODE = 0o666;

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Opens a regular file to read it. @throws RpcError for anything else */
export function openToRead(path: Buffer, followSymlinks: boolean): Promise<OpenedFile> {
  return openAs(path, { flags: READ, followSymlinks, accepts: (stats) => stats.isFile() });
}

/**
 * Opens a file to write it, new if need be, with its old content or emptied. Character devices such
 * as `/dev/null` pass; what could block for ever does not.
 */
export function openToWrite(
  path: Buffer,
  options: { readonly followSymlinks: boolean; readonly empty: boolean },
): Promise<OpenedFile> {
  return openAs(path, {
    flags: options.empty ? WRITE | constants.O_TRUNC : WRITE,
    followSymlinks: options.followSymlinks,
    accepts: (stats) => stats.isFile() || stats.isCharacterDevice(),
  });
}

interface OpenRules {
  readonly flags: number;
  readonly followSymlinks: boolean;
  readonly accepts: (stats: Stats) => boolean;
}

async function openAs(path: Buffer, rules: OpenRules): Promise<OpenedFile> {
  const handle = await openHandle(path, rules).catch((error: unknown) => {
    throw errnoOf(error) === "ENXIO" ? notAFile(path) : error;
  });
  try {
    const stats = await handle.stat();
    if (!rules.accepts(stats)) throw notAFile(path);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openHandle(path: Buffer, { flags, followSymlinks }: OpenRules): Promise<FileHandle> {
  if (followSymlinks) return open(path, flags, NEW_FILE_MODE);
  await using place = await reach(path);
  return await open(place.path, flags | constants.O_NOFOLLOW, NEW_FILE_MODE);
}

export function notAFile(path: Buffer): RpcError {
  return invalidRequest(`path \`${path.toString("utf8")}\` is not a file`);
}

import * as fs from "node:fs";
import { systemCode } from "../../errors.ts";
import { gathered } from "./gather.ts";
import { NodeFiles } from "./node-files.ts";
import { notRegular, READ, statOf, WRITE } from "./node-stat.ts";
import type { Content, FileStat } from "./port.ts";

/**
 * The same for a program that has nothing else to do: what every file of a patch takes is done by this
 * thread itself, since handing a system call to another costs several times the call.
 */
export class PromptFiles extends NodeFiles {
  override async stat(path: string): Promise<FileStat> {
    return statOf(fs.statSync(path, { bigint: true }));
  }

  override async lstat(path: string): Promise<FileStat> {
    return statOf(fs.lstatSync(path, { bigint: true }));
  }

  override async read(path: string): Promise<Uint8Array> {
    return opened(path, READ, (file) => fs.readFileSync(file));
  }

  override async write(path: string, content: Content, mode?: number): Promise<void> {
    opened(path, WRITE, (file, old) => {
      if (mode !== undefined) chmodIfAllowed(file, mode);
      try {
        const written = writeAll(file, content);
        if (old.size > written) fs.ftruncateSync(file, written);
      } catch (error) {
        if (mode !== undefined) chmodIfAllowed(file, old.mode & 0o7777);
        throw error;
      }
    });
  }
}

/** Opens a regular file, and closes it again. */
function opened<T>(path: string, flags: number, use: (file: number, stat: fs.Stats) => T): T {
  const file = fs.openSync(path, flags);
  try {
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) throw notRegular(path);
    return use(file, stat);
  } finally {
    fs.closeSync(file);
  }
}

function writeAll(file: number, content: Content): number {
  let written = 0;
  for (const part of gathered(content())) {
    for (let at = 0; at < part.length; ) at += fs.writeSync(file, part, at, part.length - at);
    written += part.length;
  }
  return written;
}

/** Only a file's owner may change its mode; others may still be allowed to write. */
function chmodIfAllowed(file: number, mode: number): void {
  try {
    fs.fchmodSync(file, mode);
  } catch (error) {
    if (systemCode(error) !== "EPERM") throw error;
  }
}

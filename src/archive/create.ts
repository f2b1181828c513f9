import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { OutworkError, systemCode } from "../errors.ts";
import { byteText } from "./byte-text.ts";
import { Folder } from "./folder.ts";
import { END_MARK } from "./header.ts";
import { packFile, packFound } from "./pack.ts";
import { explained } from "./refusal.ts";
import type { StandInNames } from "./stand-in.ts";
import { walk } from "./walk.ts";

/**
 * A tar stream of a folder's content, named below `./`, or of one file, under its own name. Links in
 * the folder stay links; sockets, fifos and devices hold no content and are left out, and so are
 * stand-ins and what vanishes before its turn. Several names of one file become as many files. Memory does not grow
 * with the tree.
 *
 * The stream fails with `path-not-found`, with `policy-denied` and the `path` that cannot be read, or
 * with `archive-refused` when an entry could not be unpacked again or shrank while it was read.
 */
export function createTar(path: string, standIns: StandInNames = new Set()): Readable {
  return Readable.from(tarOf(path, standIns), { objectMode: false });
}

async function* tarOf(path: string, standIns: StandInNames): AsyncGenerator<Buffer> {
  try {
    await using top = await openTop(path);
    const stats = await top.stat();
    if (stats.isDirectory()) yield* tarOfFolder(path, standIns);
    else if (stats.isFile()) yield* packFile(top, byteText(basename(path)));
    else throw neither(path);
  } catch (error) {
    throw explained(error, byteText(path));
  }
  yield END_MARK;
}

/** Follows links: the caller named it. A fifo does not block, a socket cannot be opened. */
async function openTop(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw systemCode(error) === "ENXIO" ? neither(path) : error;
  }
}

async function* tarOfFolder(path: string, standIns: StandInNames): AsyncGenerator<Buffer> {
  await using folder = await Folder.open(path);
  for await (const found of walk(folder, standIns)) yield* packFound(found);
}

function neither(path: string): OutworkError {
  const message = `\`${path}\` is neither a folder nor a file.`;
  return new OutworkError("path-not-found", message, { facts: { path } });
}

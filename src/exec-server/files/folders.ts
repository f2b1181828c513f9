import type { Dirent } from "node:fs";
import { mkdir, opendir, stat } from "node:fs/promises";
import { MAX_DIRECTORY_ENTRIES } from "../limits.ts";
import type { DirectoryEntry, FileParams, FileResult } from "../ports.ts";
import { internalError } from "../rpc-error.ts";
import { child, pathOf } from "./native.ts";
import { makeFolders, reach } from "./no-follow.ts";

const ENTRIES_PER_READ = 1024;

export async function createDirectory({
  path,
  recursive,
  followSymlinks,
}: FileParams<"fs/createDirectory">): Promise<FileResult<"fs/createDirectory">> {
  const native = pathOf(path);
  if (followSymlinks) await mkdir(native, { recursive });
  else if (recursive) await makeFolders(native);
  else await makeFolder(native);
  return {};
}

async function makeFolder(path: Buffer): Promise<void> {
  await using place = await reach(path);
  await mkdir(place.path);
}

export async function readDirectory({
  path,
}: FileParams<"fs/readDirectory">): Promise<FileResult<"fs/readDirectory">> {
  const native = pathOf(path);
  const entries: DirectoryEntry[] = [];
  let seen = 0;
  for await (const entry of namedEntries(native)) {
    seen += 1;
    if (seen > MAX_DIRECTORY_ENTRIES) throw tooMany(seen);
    const shown = await describe(native, entry);
    if (shown !== null) entries.push(shown);
  }
  return { entries };
}

/** An entry of a folder, its name as bytes. */
export type NamedEntry = Dirent<Buffer>;

/** Entries in the folder's own order, a few at a time. */
export async function* namedEntries(path: Buffer): AsyncGenerator<NamedEntry> {
  const options = { encoding: "buffer", bufferSize: ENTRIES_PER_READ } as const;
  const folder: AsyncIterable<unknown> = await opendir(path, options as never);
  for await (const entry of folder) yield entry as NamedEntry;
}

/** Links count as what they lead to; those that lead nowhere are left out. */
async function describe(folder: Buffer, entry: NamedEntry): Promise<DirectoryEntry | null> {
  const fileName = entry.name.toString("utf8");
  const kind = entry.isSymbolicLink() ? await target(child(folder, entry.name)) : entry;
  if (kind === null) return null;
  return { fileName, isDirectory: kind.isDirectory(), isFile: kind.isFile() };
}

async function target(path: Buffer) {
  try {
    return await stat(path);
  } catch {
    return null;
  }
}

function tooMany(entries: number): Error {
  const limit = `limit is ${MAX_DIRECTORY_ENTRIES}`;
  return internalError(`fs/readDirectory returned ${entries} entries; ${limit}`);
}

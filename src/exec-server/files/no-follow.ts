import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { errnoOf } from "../../errno.ts";
import { child, lastName, namesOf } from "./native.ts";

/** Open without being able to read: only to look further from there. Linux has it, Node not yet. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A place reached without following one link, for as long as it is not disposed. */
export interface Place extends AsyncDisposable {
  /** Names the last component inside its folder, wherever the folder is by now. */
  readonly path: Buffer;
}

/**
 * The place of a path whose folders must all be real ones: a link in the middle is ENOTDIR. The last
 * component is not looked at.
 */
export async function reach(path: Buffer): Promise<Place> {
  const names = namesOf(path);
  const folder = await descend(names.slice(0, -1), step);
  return placeIn(folder, names.length === 0 ? Buffer.from(".") : lastName(path));
}

/** Makes every folder of the path that is missing. */
export async function makeFolders(path: Buffer): Promise<void> {
  const folder = await descend(namesOf(path), makeStep);
  await folder.close();
}

type Step = (folder: FileHandle, name: Buffer) => Promise<FileHandle>;

async function descend(names: readonly Buffer[], next: Step): Promise<FileHandle> {
  let folder = await open("/", FOLDER);
  for (const name of names) {
    const above = folder;
    try {
      folder = await next(above, name);
    } finally {
      await above.close();
    }
  }
  return folder;
}

function step(folder: FileHandle, name: Buffer): Promise<FileHandle> {
  return open(inside(folder, name), FOLDER);
}

async function makeStep(folder: FileHandle, name: Buffer): Promise<FileHandle> {
  try {
    return await step(folder, name);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    await mkdir(inside(folder, name)).catch(unlessExists);
    return step(folder, name);
  }
}

function unlessExists(error: unknown): void {
  if (errnoOf(error) !== "EEXIST") throw error;
}

/** The kernel resolves this from the open folder, not from its name. */
function inside(folder: FileHandle, name: Buffer): Buffer {
  return child(Buffer.from(`/proc/self/fd/${folder.fd}`), name);
}

function placeIn(folder: FileHandle, name: Buffer): Place {
  return { path: inside(folder, name), [Symbol.asyncDispose]: () => folder.close() };
}

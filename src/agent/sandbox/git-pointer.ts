import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type EnvironmentView, ViewError } from "../view.ts";
import { openPath } from "./descriptors.ts";

/** Longer than any path. */
const POINTER_BYTES = 8_192;

/**
 * Where an open `.git` file says that the repository is, links resolved; null for anything else.
 * @see gitrepository-layout(5): a text file with `gitdir: <path>`
 */
export function gitFolderOf(
  path: string,
  descriptor: number,
  view: EnvironmentView,
): string | null {
  if (!fstatSync(descriptor).isFile()) return null;
  const target = /^gitdir: (.+)$/m.exec(firstText(descriptor))?.[1]?.trim();
  if (target === undefined) return null;
  try {
    return view.realpath(resolve(dirname(path), target));
  } catch (error) {
    if (error instanceof ViewError) return null;
    throw error;
  }
}

function firstText(descriptor: number): string {
  const file = openSync(openPath(descriptor), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(POINTER_BYTES);
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(file);
  }
}

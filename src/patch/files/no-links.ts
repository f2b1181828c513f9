import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { systemCode } from "../../errors.ts";

/** Opens a folder only to go on from it. @see open(2); Node has no name for it */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Gives a name for a path that no link can lead astray: its folders are opened one by one, and the
 * name starts from the last of them. The leaf may still be a link.
 * @throws ELOOP when a folder on the way is a link
 */
export async function withoutLinks<T>(path: string, use: (name: string) => Promise<T>): Promise<T> {
  const segments = path.split("/").filter((segment) => segment !== "");
  const leaf = segments.pop();
  let folder = await fs.open("/", FOLDER);
  try {
    for (const segment of segments) {
      const next = await openFolder(below(folder, segment));
      await folder.close();
      folder = next;
    }
    return await use(leaf === undefined ? "/" : below(folder, leaf));
  } finally {
    await folder.close();
  }
}

/** The error of a system call that met a link where none may be. */
export function linkRefused(): Error {
  return Object.assign(new Error("ELOOP: links are not followed here"), { code: "ELOOP" });
}

function below(folder: fs.FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

async function openFolder(name: string): Promise<fs.FileHandle> {
  try {
    return await fs.open(name, FOLDER);
  } catch (error) {
    const isLink = systemCode(error) === "ENOTDIR" && (await fs.lstat(name)).isSymbolicLink();
    throw isLink ? linkRefused() : error;
  }
}

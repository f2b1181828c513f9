import { locate } from "../files/locate.ts";
import type { PatchFiles } from "../files/port.ts";

/**
 * Whether writing to one path and then removing the other would lose the file: both lead to one
 * name of it, be it by spelling, through links, or by another mount of the folder.
 */
export async function sameEntry(files: PatchFiles, path: string, other: string): Promise<boolean> {
  if (path === other) return true;
  const [entry, target] = await Promise.all([
    files.lstat(path),
    files.stat(other).catch(() => null),
  ]);
  if (entry.identity !== target?.identity) return false;
  if (entry.links === 1) return true;
  const places = await Promise.all([locate(files, path, "keep"), locate(files, other, "follow")]);
  return places[0].path === places[1].path;
}

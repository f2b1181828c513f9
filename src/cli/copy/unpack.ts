import { lstat, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { extractTar } from "../../archive/extract.ts";
import type { ArchiveResult } from "../../contract/archive.ts";
import { OutworkError } from "../../errors.ts";

/** Unpacks the content of a folder into a folder of this machine, which is made when missing. */
export function unpackFolder(tar: AsyncIterable<Buffer>, path: string): Promise<ArchiveResult> {
  return extractTar(tar, path);
}

/** Unpacks a single file to this very path, in one step: nobody sees half of it. */
export async function unpackFile(tar: AsyncIterable<Buffer>, path: string): Promise<ArchiveResult> {
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(join(dirname(path), ".outwork-"));
  try {
    const result = await extractTar(tar, folder, { maxEntries: 1 });
    await rename(await onlyFile(folder), path);
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function onlyFile(folder: string): Promise<string> {
  const [name = ""] = await readdir(folder);
  const path = join(folder, name);
  if ((await lstat(path)).isFile()) return path;
  throw new OutworkError("archive-refused", "the environment did not send the file it named");
}

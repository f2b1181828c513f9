import { open, stat } from "node:fs/promises";
import { byteText } from "../../archive/byte-text.ts";
import { createTar } from "../../archive/create.ts";
import { END_MARK } from "../../archive/header.ts";
import { packFile } from "../../archive/pack.ts";
import { systemCode } from "../../errors.ts";
import type { Kind } from "./target.ts";

/** What is at a path of this machine; links are followed. */
export async function kindHere(path: string): Promise<Kind> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return "none";
    throw error;
  }
}

/** The content of a folder of this machine as a tar stream. */
export function tarOfFolder(path: string): AsyncIterable<Buffer> {
  return createTar(path);
}

/** One file of this machine as a tar stream, under the name it is to have. */
export async function* tarOfFile(path: string, name: string): AsyncGenerator<Buffer> {
  await using file = await open(path);
  yield* packFile(file, byteText(name));
  yield END_MARK;
}

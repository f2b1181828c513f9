import { readFile, rename, writeFile } from "node:fs/promises";
import { systemCode } from "../errors.ts";

/** Writes a file that only its owner can read. It is complete or not there. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** A file's text, or null if there is none. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

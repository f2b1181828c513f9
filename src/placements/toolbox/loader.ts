import { readFile } from "node:fs/promises";

/** @see ld.so(8): libraries named in this file are loaded into every program */
const PRELOAD_FILE = Buffer.from("/etc/ld.so.preload");
/** As long, and never a file: where there is such a folder, nobody but root can write it. */
const NOWHERE = Buffer.from("/.outwork/nothing/");

/**
 * The host's loader, but for its preload file. In an environment that file would be the image's, or a
 * command's where commands may write `/etc`, and what it names would run in the agent.
 */
export async function readLoader(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  for (let at = bytes.indexOf(PRELOAD_FILE); at >= 0; at = bytes.indexOf(PRELOAD_FILE, at)) {
    NOWHERE.copy(bytes, at);
  }
  return bytes;
}

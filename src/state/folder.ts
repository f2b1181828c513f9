import { mkdir, stat } from "node:fs/promises";
import { StartupError } from "../startup-error.ts";

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes the state folder if it is not there. Others may pass through it, since environments have
 * users of their own; secrets in it have modes of their own.
 * @throws StartupError if others can write it: what is in it decides who owns which environment
 */
export async function openStateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o711 });
  const found = await stat(path);
  if (!found.isDirectory()) throw new StartupError(`The state folder ${path} is not a folder.`);
  if (found.uid !== process.getuid?.()) {
    throw new StartupError(`The state folder ${path} belongs to another user (uid ${found.uid}).`);
  }
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new StartupError(`Others can write the state folder ${path}: \`chmod go-w ${path}\`.`);
  }
}

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StartupError } from "../startup-error.ts";

const WRITABLE_BY_OTHERS = 0o022;
const PASSABLE_BY_OTHERS = 0o001;

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

/**
 * Run by root, environments of this host have users of their own, who must reach their files.
 * @throws StartupError naming the folder on the way that keeps them out
 */
export async function refuseImpassable(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & PASSABLE_BY_OTHERS) !== 0) continue;
    const message = `Others cannot pass through ${folder}, and environments have users of their own: \`chmod o+x ${folder}\`, or use another state folder than ${path}.`;
    throw new StartupError(message);
  }
}

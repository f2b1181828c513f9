import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";

/** Removes a folder and all below it, folders included that their owner has locked for himself. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) !== "EACCES" && systemCode(error) !== "EPERM") throw error;
    await unlock(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function unlock(path: string): Promise<void> {
  const stat = await lstat(path);
  if (!stat.isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await unlock(join(path, name));
}

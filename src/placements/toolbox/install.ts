import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Program } from "../../contract/agent.ts";
import { systemCode } from "../../errors.ts";
import { TOOLBOX_FOLDER } from "./collect.ts";
import type { Toolbox } from "./toolbox.ts";

/**
 * Puts a toolbox on this host's disk, below `parent`, once for each content. Complete or not there:
 * it gets its name by a rename.
 */
export async function installToolbox(toolbox: Toolbox, parent: string): Promise<string> {
  const folder = join(parent, toolbox.hash);
  if (existsSync(folder)) return folder;
  await mkdir(parent, { recursive: true, mode: 0o755 });
  const draft = await mkdtemp(join(parent, "draft-"));
  await chmod(draft, 0o755);
  for (const { path, mode, content } of toolbox.files) {
    const target = join(draft, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    if ("bytes" in content) await writeFile(target, content.bytes);
    else await copyFile(content.file, target);
    await chmod(target, mode);
  }
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (systemCode(error) !== "ENOTEMPTY" && systemCode(error) !== "EEXIST") throw error;
  });
  return folder;
}

/** A program of the toolbox as it is started from `folder` and not from inside an environment. */
export function programAt(folder: string, program: Program): Program {
  return program.map((word) =>
    word.startsWith(`${TOOLBOX_FOLDER}/`) ? folder + word.slice(TOOLBOX_FOLDER.length) : word,
  );
}

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ProcessStart } from "../../../src/exec-server/ports.ts";

/** The file that a start would execute. @throws a system error as `execvp` would fail */
export async function findProgram({ argv, cwd, env }: ProcessStart): Promise<string> {
  const [program = ""] = argv;
  await stat(cwd);
  if (program.includes("/")) {
    await access(resolve(cwd, program), constants.X_OK);
    return program;
  }
  for (const folder of (env.PATH ?? "/usr/bin:/bin").split(":")) {
    const candidate = resolve(folder, program);
    if (await isExecutable(candidate)) return candidate;
  }
  throw Object.assign(new Error(`no program ${program}`), { code: "ENOENT" });
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

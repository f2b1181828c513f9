import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs a program of the host that the builder needs; a missing one says which package has it. */
export async function run(program: string, args: readonly string[], hint: string): Promise<string> {
  try {
    const { stdout } = await execute(program, args, { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (cause) {
    if ((cause as { code?: unknown }).code === "ENOENT") {
      throw new Error(`${program} is missing: ${hint}`, { cause });
    }
    const { stderr } = cause as { stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed: ${stderr?.trim().slice(-2000)}`, {
      cause,
    });
  }
}

import { OutworkError } from "../errors.ts";
import { RAW_PATCH_TEXT } from "../patch/answers.ts";
import type { ShellPatch } from "./shell-patch.ts";

/**
 * The patch that a command line asks for and nothing else, to be applied in place of running it; null
 * for any other command line. The grammars are loaded for command lines that may need them.
 * @throws `tool-failed` for a bare patch, which was meant for another tool
 */
export async function interceptPatch(cmd: string): Promise<ShellPatch | null> {
  if (cmd.includes("*** Begin Patch") && (await isPatch(cmd))) {
    throw new OutworkError("tool-failed", RAW_PATCH_TEXT);
  }
  if (!/apply_?patch/.test(cmd)) return null;
  const { shellPatch } = await import("./shell-patch.ts");
  return shellPatch(cmd);
}

async function isPatch(text: string): Promise<boolean> {
  const { patchOrNull } = await import("../patch/read/stream.ts");
  return patchOrNull(text) !== null;
}

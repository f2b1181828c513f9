import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import type { PatchOptions } from "../contract/patch.ts";
import { PromptFiles } from "./files/prompt-files.ts";
import { type ProgramResult, runProgram } from "./program.ts";

/** How the program applies patches when nothing is asked for. */
const DEFAULTS: PatchOptions = {
  atomic: false,
  dry_run: false,
  line_endings: "preserve",
  overwrite: true,
  compat: false,
};

/** The program in the working folder of this process, on the files as this process may touch them. */
export function runHere(
  words: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  options: Partial<PatchOptions> = {},
): Promise<ProgramResult> {
  const input = { args: words.map(asGiven), stdin: () => buffer(stdin) };
  const context = { files: new PromptFiles(), cwd: process.cwd() };
  return runProgram(input, { ...context, options: { ...DEFAULTS, ...options } });
}

const REPLACEMENT = "\ufffd";

/** An argument that is not text reaches us with replacement characters; the kernel has its bytes. */
function asGiven(word: string): string | Uint8Array {
  if (!word.includes(REPLACEMENT)) return word;
  const words = readFileSync("/proc/self/cmdline", "latin1").split("\0");
  const bytes = words.map((each) => Buffer.from(each, "latin1"));
  return bytes.find((each) => each.toString() === word) ?? word;
}

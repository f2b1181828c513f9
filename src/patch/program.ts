import { isUtf8 } from "node:buffer";
import type { PatchChange } from "../contract/patch.ts";
import { applyPatch } from "./apply/apply.ts";
import type { ApplyContext } from "./context.ts";
import { PatchSyntaxError } from "./failure.ts";
import type { Patch } from "./operation.ts";
import { parsePatch } from "./read/stream.ts";
import { summary } from "./summary.ts";

/** What the program `apply_patch` prints and how it exits, and what it did by then. */
export type ProgramResult = {
  readonly exit_code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly changes: readonly PatchChange[];
};

export type ProgramInput = {
  /** Without the program's own name. Bytes, since a kernel's arguments are not always text. */
  readonly args: readonly (string | Uint8Array)[];
  /** Read when there is no argument. */
  readonly stdin: () => Promise<Uint8Array>;
};

const USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n";

/** The standalone program: it reads a patch and applies it, file after file. */
export async function runProgram(
  input: ProgramInput,
  context: ApplyContext,
): Promise<ProgramResult> {
  const text = await patchText(input);
  if (typeof text !== "string") return text;
  const patch = readPatch(text);
  if (patch instanceof PatchSyntaxError) return failed(1, `${patch.message}\n`);
  const { changes, failure } = await applyPatch(patch, context);
  if (failure) return { ...failed(1, `${failure.message}\n`), changes };
  return { exit_code: 0, stdout: summary(patch), stderr: "", changes };
}

async function patchText({ args, stdin }: ProgramInput): Promise<string | ProgramResult> {
  const [first] = args;
  if (first === undefined) return stdinText(await stdin());
  const text = decoded(first);
  if (text === null) return failed(1, "Error: apply_patch requires a UTF-8 PATCH argument.\n");
  if (args.length > 1) return failed(2, "Error: apply_patch accepts exactly one argument.\n");
  return text;
}

function stdinText(bytes: Uint8Array): string | ProgramResult {
  const text = decoded(bytes);
  if (text === "") return failed(2, USAGE);
  const reason = "stream did not contain valid UTF-8";
  return text ?? failed(1, `Error: Failed to read PATCH from stdin.\n${reason}\n`);
}

function decoded(text: string | Uint8Array): string | null {
  if (typeof text === "string") return text;
  return isUtf8(text) ? Buffer.from(text).toString() : null;
}

function readPatch(text: string): Patch | PatchSyntaxError {
  try {
    return parsePatch(text);
  } catch (error) {
    if (error instanceof PatchSyntaxError) return error;
    throw error;
  }
}

function failed(exitCode: number, stderr: string): ProgramResult {
  return { exit_code: exitCode, stdout: "", stderr, changes: [] };
}

import { randomInt } from "node:crypto";
import type { ResolvedExecCommand } from "../contract/agent.ts";
import { MAX_OUTPUT_TOKENS } from "../contract/constants.ts";
import type { PatchResult, ToolResult } from "../contract/index.ts";
import { PatchOptions } from "../contract/index.ts";
import type { WaitOptions } from "../core/agent-link.ts";
import type { EnvironmentEntry } from "../core/entry.ts";
import { interceptPatch } from "../tools/intercept.ts";
import { outputText, tokensOf } from "../tools/output-text.ts";
import type { ShellPatch } from "../tools/shell-patch.ts";
import { joinWorkdir } from "../tools/workdir.ts";

const CHUNK_IDS = 0x1000000;

/**
 * Runs a command in an environment. One that only applies a patch is not run: the patch goes the way
 * of the tool `apply_patch`, which verifies it first.
 * @throws `tool-failed` with the line that the model should read
 */
export async function execCommand(
  environment: EnvironmentEntry,
  command: ResolvedExecCommand,
  options: WaitOptions,
): Promise<ToolResult> {
  const found = await interceptPatch(command.cmd);
  if (found === null) return environment.call("outwork/exec_command", command, options);
  const patch = {
    patch: found.patch,
    workdir: folderOf(found, joinWorkdir(environment.spec.workspace, command.workdir)),
    options: PatchOptions.parse({}),
    environment_line: "ignored" as const,
    policy: command.policy,
  };
  const result = await environment.call("outwork/apply_patch", patch, options);
  return toolResult(result, command.max_output_tokens ?? MAX_OUTPUT_TOKENS);
}

function folderOf({ folder }: ShellPatch, workdir: string): string {
  return joinWorkdir(workdir, folder);
}

/** A failure is for the model to read whole. */
function toolResult(result: PatchResult, tokens: number): ToolResult {
  const { text, exit_code, policy } = result;
  const bytes = Buffer.from(text);
  const taken = { head: bytes, tail: Buffer.alloc(0), omittedBytes: 0, totalBytes: bytes.length };
  return {
    chunk_id: randomInt(0, CHUNK_IDS).toString(16).padStart(6, "0"),
    wall_time_seconds: 0,
    exit_code: exit_code ?? 1,
    original_token_count: tokensOf(bytes.length),
    output: exit_code === 0 ? outputText(taken, Math.min(tokens, MAX_OUTPUT_TOKENS)) : text,
    policy,
    applied_patch: result,
  };
}

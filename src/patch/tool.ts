import type { PatchChange } from "../contract/patch.ts";
import { OutworkError } from "../errors.ts";
import { toolText } from "./answers.ts";
import { applyPatch } from "./apply/apply.ts";
import { verifyPatch } from "./apply/verify.ts";
import type { ApplyContext, RunContext } from "./context.ts";
import { PatchApplyError, PatchSyntaxError } from "./failure.ts";
import type { Patch } from "./operation.ts";
import { parsePatch } from "./read/stream.ts";
import { summary } from "./summary.ts";

/** What the tool `apply_patch` answers the model, and what it did. */
export type ToolAnswer = {
  readonly text: string;
  /** Null: refused before anything was written. */
  readonly exit_code: number | null;
  readonly changes: readonly PatchChange[];
};

/** A patch that fits the files as they are, with what it would change: what is to be approved. */
export type VerifiedPatch = { readonly patch: Patch; readonly changes: readonly PatchChange[] };

export type ToolContext = RunContext & {
  /** `refused`: the tool has one environment, so that a patch may not name any. */
  readonly environmentLine: "refused" | "ignored";
};

/**
 * Reads a patch and checks all of it against the disk.
 * @throws {OutworkError} `tool-failed`; its message is the tool's whole answer
 */
export async function verifyTool(text: string, context: ToolContext): Promise<VerifiedPatch> {
  const patch = read(text);
  if (patch.environment !== null && context.environmentLine === "refused") {
    throw refusal("apply_patch environment selection is unavailable for this turn");
  }
  if (patch.operations.length === 0) throw refusal("patch rejected: empty patch");
  return { patch, changes: await verifyPatch(patch, context).catch(failVerification) };
}

/** Applies what was verified, and perhaps approved. Never rejects. */
export async function applyTool(
  { patch }: VerifiedPatch,
  context: ApplyContext,
): Promise<ToolAnswer> {
  const startedAt = performance.now();
  const { changes, failure } = await applyPatch(patch, context);
  const exitCode = failure ? 1 : 0;
  const output = failure ? `${failure.message}\n` : summary(patch);
  const seconds = (performance.now() - startedAt) / 1000;
  return { text: toolText(exitCode, seconds, output), exit_code: exitCode, changes };
}

/** The whole tool, for callers without approvals: verify everything, then write. */
export async function runTool(
  text: string,
  context: ToolContext & ApplyContext,
): Promise<ToolAnswer> {
  try {
    return await applyTool(await verifyTool(text, context), context);
  } catch (error) {
    if (!(error instanceof OutworkError)) throw error;
    return { text: error.message, exit_code: null, changes: [] };
  }
}

function read(text: string): Patch {
  try {
    return parsePatch(text);
  } catch (error) {
    return failVerification(error);
  }
}

function failVerification(error: unknown): never {
  if (error instanceof PatchSyntaxError) throw unverified(error.toolText, error);
  if (error instanceof PatchApplyError) throw unverified(error.message, error);
  throw error;
}

function unverified(detail: string, cause: OutworkError): OutworkError {
  const message = `apply_patch verification failed: ${detail}`;
  return new OutworkError("tool-failed", message, { cause, facts: cause.facts });
}

function refusal(message: string): OutworkError {
  return new OutworkError("tool-failed", message, { facts: { rule: "patch-refused" } });
}

import { z } from "zod";
import { PatchResult } from "./patch.ts";
import { EffectivePolicy, PolicyRequest } from "./policy.ts";

const outwork = {
  policy: PolicyRequest.nullish().describe("May only narrow the environment's policy."),
  reserved_session_ids: z
    .array(z.int())
    .max(4096)
    .nullish()
    .describe("Session ids in use elsewhere in this turn, not to be drawn."),
};

/**
 * Arguments of `exec_command`. Unknown members are ignored and `null` is absence, since a model
 * wrote them. `policy` and `reserved_session_ids` are the harness's, not the model's.
 */
export const ExecCommand = z
  .object({
    cmd: z.string(),
    workdir: z.string().nullish(),
    tty: z.boolean().nullish(),
    yield_time_ms: z.int().nonnegative().nullish(),
    max_output_tokens: z.int().nonnegative().nullish(),
    shell: z.string().nullish(),
    login: z.boolean().nullish(),
    environment_id: z.string().nullish(),
    ...outwork,
  })
  .meta({ id: "ExecCommand" });
export type ExecCommand = z.infer<typeof ExecCommand>;

/** Arguments of `write_stdin`. Empty or missing `chars` polls. */
export const WriteStdinTool = z
  .object({
    session_id: z.int(),
    chars: z.string().nullish(),
    yield_time_ms: z.int().nonnegative().nullish(),
    max_output_tokens: z.int().nonnegative().nullish(),
  })
  .meta({ id: "WriteStdinTool" });
export type WriteStdinTool = z.infer<typeof WriteStdinTool>;

/** What either tool answers. Exactly one of `exit_code` and `session_id` is present. */
export const ToolResult = z
  .object({
    chunk_id: z.string().describe("Six random hex digits, new for each result."),
    wall_time_seconds: z.number(),
    exit_code: z.int().optional(),
    session_id: z.int().optional().describe("The process lives on: pass it to `write_stdin`."),
    original_token_count: z.int().describe("Bytes of output before truncation, by four."),
    output: z.string().describe("Truncated to the budget, in the middle."),
    policy: EffectivePolicy,
    applied_patch: PatchResult.optional().describe(
      "The command only applied a patch: this was done in place of running it.",
    ),
  })
  .meta({ id: "ToolResult" });
export type ToolResult = z.infer<typeof ToolResult>;

import { z } from "zod";
import { MAX_RETAINED_BYTES, RETAINED_BYTES } from "./constants.ts";
import { AbsolutePath, Instant, ProcessId, Variables } from "./ids.ts";
import { EffectivePolicy, PolicyRequest } from "./policy.ts";
import { Problem } from "./problem.ts";

/** A terminal's size in character cells. */
export const TerminalSize = z
  .strictObject({ rows: z.int().min(1).max(65_535), cols: z.int().min(1).max(65_535) })
  .meta({ id: "TerminalSize" });
export type TerminalSize = z.infer<typeof TerminalSize>;

/** Body of `POST …/processes`: run one program. `argv` is passed as it is; no shell is added. */
export const StartProcess = z
  .strictObject({
    process_id: ProcessId.optional().describe(
      "Chosen by the caller, so that a repeated start is harmless.",
    ),
    argv: z.array(z.string().refine((arg) => !arg.includes("\0"), "no NUL")).min(1),
    cwd: AbsolutePath.optional().describe("Omitted: the workspace."),
    variables: Variables.optional().describe("Laid over the environment's own variables."),
    stdin: z
      .enum(["closed", "pipe"])
      .default("closed")
      .describe("`closed`: end of file at once. A terminal always has stdin."),
    tty: TerminalSize.optional().describe("Run on a terminal of this size."),
    policy: PolicyRequest.optional().describe("May only narrow the environment's policy."),
    timeout_ms: z.int().positive().max(2_147_483_647).optional().describe("Wall clock."),
    quiet_timeout_ms: z
      .int()
      .positive()
      .max(2_147_483_647)
      .optional()
      .describe("Ends the process after this long without output."),
    retained_bytes: z.int().min(65_536).max(MAX_RETAINED_BYTES).default(RETAINED_BYTES),
    back_pressure: z
      .enum(["none", "reader"])
      .default("none")
      .describe(
        "`none`: never wait, drop the oldest and say so. `reader`: wait for the slowest reader.",
      ),
  })
  .meta({ id: "StartProcess" });
export type StartProcess = z.infer<typeof StartProcess>;
/** A start as callers write it, before defaults. */
export type StartProcessInput = z.input<typeof StartProcess>;

/** Why a process ended. */
export const EndCause = z
  .enum(["exited", "signalled", "interrupted", "terminated", "timeout", "quiet-timeout"])
  .meta({ id: "EndCause" });
export type EndCause = z.infer<typeof EndCause>;

/** Exit and end of stream are two events: output may follow the exit, nothing follows `closed`. */
export const ProcessState = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("running") }),
    z.object({
      kind: z.enum(["exited", "closed"]),
      exit_code: z.int(),
      cause: EndCause,
      exited_at: Instant,
    }),
  ])
  .meta({ id: "ProcessState" });
export type ProcessState = z.infer<typeof ProcessState>;

/** Exact accounting: `total_bytes` = bytes still held + `dropped_bytes`. */
export const OutputTotals = z
  .object({
    next_seq: z.int().describe("The number that the next event will get."),
    first_seq: z.int().describe("The oldest output chunk still held; `next_seq` if none."),
    total_bytes: z.int(),
    dropped_bytes: z.int(),
  })
  .meta({ id: "OutputTotals" });
export type OutputTotals = z.infer<typeof OutputTotals>;

/** One process as listings show it. */
export const Process = z
  .object({
    process_id: ProcessId,
    argv: z.array(z.string()),
    cwd: z.string(),
    tty: z.boolean(),
    started_at: Instant,
    state: ProcessState,
    output: OutputTotals,
    policy: EffectivePolicy,
  })
  .meta({ id: "Process" });
export type Process = z.infer<typeof Process>;

export const ProcessList = z.object({ processes: z.array(Process) }).meta({ id: "ProcessList" });
export type ProcessList = z.infer<typeof ProcessList>;

export const StreamName = z.enum(["stdout", "stderr", "pty"]);
export type StreamName = z.infer<typeof StreamName>;

const outputMembers = {
  type: z.literal("output"),
  seq: z.int(),
  stream: StreamName,
  offset: z.int().describe("Bytes that the process had printed before this chunk."),
};

const OutputOmitted = z.object({
  type: z.literal("omitted"),
  from_seq: z.int(),
  to_seq: z.int(),
  resume_offset: z.int().describe("The `offset` at which output goes on."),
});

const OutputExited = z.object({
  type: z.literal("exited"),
  seq: z.int(),
  exit_code: z.int(),
  cause: EndCause,
});

const OutputClosed = z.object({
  type: z.literal("closed"),
  seq: z.int(),
  total_bytes: z.int(),
  dropped_bytes: z.int(),
});

/**
 * What happened to a process. `seq` counts all events of the process from 1 without gaps. `omitted`
 * stands for events that were dropped before this reader saw them; what is missing is the difference
 * of offsets. `closed` is always the last one.
 */
export const OutputEvent = z
  .discriminatedUnion("type", [
    z.object({
      ...outputMembers,
      chunk: z.base64().describe("Raw bytes; may split a UTF-8 sequence."),
    }),
    OutputOmitted,
    OutputExited,
    OutputClosed,
  ])
  .meta({ id: "OutputEvent" });
export type OutputEvent = z.infer<typeof OutputEvent>;

/** The first line of an output record: the event, with `bytes` in place of `chunk`. */
export const OutputRecordHeader = z.discriminatedUnion("type", [
  z.object({ ...outputMembers, bytes: z.int().min(0) }),
  OutputOmitted,
  OutputExited,
  OutputClosed,
]);
export type OutputRecordHeader = z.infer<typeof OutputRecordHeader>;

/** Why a stream ended before `closed`. The process is not affected; read again after its last seq. */
export const OutputProblem = z
  .object({ type: z.literal("problem"), problem: Problem })
  .meta({ id: "OutputProblem" });
export type OutputProblem = z.infer<typeof OutputProblem>;

/**
 * One line of `GET …/output`. The last line is `closed` or `problem`; a body that ends otherwise was
 * cut. Empty lines are heartbeats: one at the beginning, and one for every 15 seconds of silence.
 */
export const OutputLine = z.union([OutputEvent, OutputProblem]).meta({ id: "OutputLine" });
export type OutputLine = z.infer<typeof OutputLine>;

/** Query of `GET …/output`: go on after this event; 0 is the beginning. */
export const OutputQuery = z.strictObject({ after_seq: z.coerce.number().int().min(0).default(0) });
export type OutputQuery = z.infer<typeof OutputQuery>;

/** Body of `POST …/stdin`. A repeated `write_id` writes nothing the second time. */
export const WriteStdin = z
  .strictObject({
    write_id: z.string().min(1).max(128),
    chunk: z.base64().default(""),
    end: z.boolean().default(false).describe("Close stdin after these bytes."),
  })
  .meta({ id: "WriteStdin" });
export type WriteStdin = z.infer<typeof WriteStdin>;

export const WriteStdinResult = z
  .object({ status: z.enum(["accepted", "stdin-closed"]) })
  .meta({ id: "WriteStdinResult" });
export type WriteStdinResult = z.infer<typeof WriteStdinResult>;

/** Signals that callers may send. They go to the command's process group, not to its sandbox. */
export const SignalName = z
  .enum(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGSTOP", "SIGCONT"])
  .meta({ id: "SignalName" });
export type SignalName = z.infer<typeof SignalName>;

export const SignalProcess = z.strictObject({ signal: SignalName }).meta({ id: "SignalProcess" });
export type SignalProcess = z.infer<typeof SignalProcess>;

/** Body of `POST …/terminate`: SIGTERM, and SIGKILL to everything that is left after the grace. */
export const TerminateProcess = z
  .strictObject({
    grace_ms: z.int().min(0).max(600_000).default(2_000).describe("0: SIGKILL at once."),
  })
  .meta({ id: "TerminateProcess" });
export type TerminateProcess = z.infer<typeof TerminateProcess>;

/** Whether the process was still there to be signalled, resized or terminated. */
export const Delivered = z.object({ delivered: z.boolean() }).meta({ id: "Delivered" });
export type Delivered = z.infer<typeof Delivered>;

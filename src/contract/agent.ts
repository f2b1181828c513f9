import { z } from "zod";
import { ArchiveResult } from "./archive.ts";
import { AbsolutePath, EnvironmentId, Instant, ProcessId, Variables } from "./ids.ts";
import { ApplyPatch, PatchResult } from "./patch.ts";
import { EffectivePolicy } from "./policy.ts";
import {
  Delivered,
  Process,
  ProcessList,
  SignalName,
  StartProcess,
  TerminalSize,
  WriteStdinResult,
} from "./process.ts";
import { ExecCommand, ToolResult, WriteStdinTool } from "./tools.ts";

const Mounts = z.array(
  z.object({ source: AbsolutePath, target: AbsolutePath, writable: z.boolean() }),
);

/**
 * What the command's file system is made of. `container`: the container's own root. `host`: these
 * folders of the host read-only. On top of either, `mounts` from the agent's side.
 */
export const Layout = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("container"), mounts: Mounts }),
  z.object({ kind: z.literal("host"), folders: z.array(AbsolutePath), mounts: Mounts }),
]);
export type Layout = z.infer<typeof Layout>;

/** A program the agent runs: argv prefix, since the toolbox brings its own loader. */
export const Program = z.array(z.string()).min(1);
export type Program = z.infer<typeof Program>;

/** The agent's configuration: one JSON file, written by the placement before the agent starts. */
export const AgentConfig = z.strictObject({
  environment_id: EnvironmentId,
  /** Instance id of the service that owns the environment. */
  owner: z.string(),
  /** The agent listens here. */
  socket: AbsolutePath,
  /** The environment policy: no request passes it. */
  policy: EffectivePolicy,
  layout: Layout,
  workspace: AbsolutePath,
  home: AbsolutePath,
  /** User and group id that commands see themselves as. */
  uid: z.int(),
  gid: z.int(),
  user: z.string(),
  /** Base variables of every command: PATH, HOME, … and the environment's own. */
  variables: Variables,
  programs: z.object({
    bwrap: Program,
    /** Gives a command its controlling terminal, inside the sandbox. */
    setsid: Program,
    /** Runs the agent's own helpers inside a sandbox. */
    helper: Program,
  }),
  /** Host folder of the programs offered to commands at COMMAND_BIN_FOLDER; null: none. */
  bin: AbsolutePath.nullable(),
  /**
   * What the helpers need to see and commands must not. Null: the programs are the environment's own,
   * in its own tree, and nothing of the agent is to be hidden in it.
   */
  toolbox: z.object({ source: AbsolutePath, target: AbsolutePath }).nullable(),
  /** Folders of control groups that every command is put into before it runs. */
  groups: z.array(AbsolutePath),
  /** The native terminal binding. */
  pty: AbsolutePath,
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** What the agent says of itself when the service connects. */
export const Hello = z.object({
  environment_id: EnvironmentId,
  owner: z.string(),
  version: z.string(),
  pid: z.int(),
  started_at: Instant,
});
export type Hello = z.infer<typeof Hello>;

/** The service has resolved the request policy's preset; the agent meets it with its own. */
const resolved = { policy: EffectivePolicy.optional() };
export const ResolvedExecCommand = ExecCommand.extend(resolved);
export type ResolvedExecCommand = z.infer<typeof ResolvedExecCommand>;
export const ResolvedStartProcess = StartProcess.extend(resolved);
export type ResolvedStartProcess = z.infer<typeof ResolvedStartProcess>;

/** Which environment a patch is for has been settled where it may name one: then `ignored`. */
const environmentLine = { environment_line: z.enum(["refused", "ignored"]).optional() };
export const ResolvedApplyPatch = ApplyPatch.extend({ ...resolved, ...environmentLine });
export type ResolvedApplyPatch = z.infer<typeof ResolvedApplyPatch>;

const ById = z.object({ process_id: ProcessId });
const Nothing = z.object({});

/**
 * Requests of the service to an agent, beside the exec-server protocol on the same connection: JSON
 * objects `{id, method, params}`, answered by `{id, result}` or `{id, error: {code, message, data}}`
 * where `data.problem` is a Problem.
 */
export const AGENT_METHODS = {
  "outwork/hello": { params: Nothing, result: Hello },
  "outwork/exec_command": { params: ResolvedExecCommand, result: ToolResult },
  "outwork/write_stdin": { params: WriteStdinTool, result: ToolResult },
  "outwork/apply_patch": { params: ResolvedApplyPatch, result: PatchResult },
  "outwork/process/start": { params: ResolvedStartProcess, result: Process },
  "outwork/process/list": { params: Nothing, result: ProcessList },
  "outwork/process/get": { params: ById, result: Process },
  "outwork/process/stdin": {
    params: ById.extend({ write_id: z.string(), chunk: z.base64(), end: z.boolean() }),
    result: WriteStdinResult,
  },
  "outwork/process/signal": { params: ById.extend({ signal: SignalName }), result: Delivered },
  "outwork/process/terminate": { params: ById.extend({ grace_ms: z.int() }), result: Delivered },
  "outwork/process/resize": { params: ById.extend({ size: TerminalSize }), result: Delivered },
  /** Ends every process, then the agent. */
  "outwork/shutdown": { params: Nothing, result: Nothing },
} as const;

/**
 * Streams between service and agent, each on a connection of its own: one request as above, its
 * answer, then binary messages one way until the sender closes with 1000. `put` answers last.
 */
export const AGENT_STREAMS = {
  /** Agent → service: output records, see `OutputRecordHeader`. */
  "outwork/process/output": { params: ById.extend({ after_seq: z.int().min(0) }), result: Nothing },
  /** Agent → service: a tar stream. */
  "outwork/archive/get": { params: z.object({ path: AbsolutePath }), result: Nothing },
  /** Service → agent: a tar stream, ended by an empty message; answered when all is written. */
  "outwork/archive/put": { params: z.object({ path: AbsolutePath }), result: ArchiveResult },
} as const;

/** How the agent wishes an exec-server connection to be closed: its one text frame. */
export interface ExecServerClose {
  /** @see RFC 6455 §7.4 */
  readonly code: number;
  readonly reason: string;
}

/** Who is at the other end of an exec-server connection: params of EXEC_SERVER_METHOD. */
export interface ExecServerPeer {
  /** For error texts and the log. */
  readonly name: string;
  /** The caller's token, by name: the same one may take over its session from a dead connection. */
  readonly principal: string;
}

export type AgentMethod = keyof typeof AGENT_METHODS;
export type AgentStream = keyof typeof AGENT_STREAMS;
export type ParamsOf<M extends AgentMethod | AgentStream> = M extends AgentMethod
  ? z.input<(typeof AGENT_METHODS)[M]["params"]>
  : M extends AgentStream
    ? z.input<(typeof AGENT_STREAMS)[M]["params"]>
    : never;
export type ResultOf<M extends AgentMethod | AgentStream> = M extends AgentMethod
  ? z.output<(typeof AGENT_METHODS)[M]["result"]>
  : M extends AgentStream
    ? z.output<(typeof AGENT_STREAMS)[M]["result"]>
    : never;

/**
 * Output records, the bulk form of `OutputEvent`: the event as one line of JSON, in which `output`
 * has `bytes` in place of `chunk`, a newline, then that many raw bytes. One record a message between
 * agent and service; one after another in a body of type OUTPUT_RECORDS_TYPE, where an empty line in
 * place of a record is a heartbeat and an `OutputProblem` line may be the last, as in `OutputLine`.
 */
export const OUTPUT_RECORDS_TYPE = "application/vnd.outwork.output-records";

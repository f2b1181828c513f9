import type { ResolvedStartProcess } from "../../contract/agent.ts";
import type { Variables } from "../../contract/ids.ts";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type { TerminalSize } from "../../contract/process.ts";
import type { Deadlines } from "./deadlines.ts";
import { READER_GRACE_MS, type ReaderRule } from "./output-log.ts";

/** A start as the process table takes it, from whatever door it came. */
export interface ProcessRequest {
  /** Null: the table makes one. */
  readonly processId: string | null;
  readonly argv: readonly string[];
  /** Null: the workspace. */
  readonly cwd: string | null;
  readonly variables: Variables;
  /** True: over the environment's own variables. False: these and no others. */
  readonly inherits: boolean;
  readonly stdin: "closed" | "pipe";
  readonly tty: TerminalSize | null;
  /** True: what it started runs on after it, and its output is waited for. Not on a terminal. */
  readonly leavesChildren: boolean;
  /** What the caller asks for; null: the environment's policy as it is. */
  readonly policy: EffectivePolicy | null;
  readonly deadlines: Deadlines;
  readonly retainedBytes: number;
  readonly readers: ReaderRule;
}

/** A start as the service sends it. */
export function requestOf(start: ResolvedStartProcess): ProcessRequest {
  return {
    processId: start.process_id ?? null,
    argv: start.argv,
    cwd: start.cwd ?? null,
    variables: start.variables ?? {},
    inherits: true,
    stdin: start.stdin,
    tty: start.tty ?? null,
    leavesChildren: false,
    policy: start.policy ?? null,
    deadlines: {
      timeoutMs: start.timeout_ms ?? null,
      quietTimeoutMs: start.quiet_timeout_ms ?? null,
    },
    retainedBytes: start.retained_bytes,
    readers:
      start.back_pressure === "reader"
        ? { kind: "wait-for", absentMs: READER_GRACE_MS }
        : { kind: "never-wait" },
  };
}

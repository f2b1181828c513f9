import type { AgentProcess } from "./agent-process.ts";

/** Time limits of one process, in milliseconds; null: none. */
export interface Deadlines {
  readonly timeoutMs: number | null;
  readonly quietTimeoutMs: number | null;
}

export const NO_DEADLINES: Deadlines = { timeoutMs: null, quietTimeoutMs: null };

/** SIGTERM first: what a command prints on its way out is worth having. */
const GRACE_MS = 500;

/** Ends a process that runs too long, or that has printed nothing for too long. */
export function enforceDeadlines(process: AgentProcess, deadlines: Deadlines): void {
  const { timeoutMs, quietTimeoutMs } = deadlines;
  const timers: NodeJS.Timeout[] = [];
  const arm = (ms: number, cause: "timeout" | "quiet-timeout") => {
    const timer = setTimeout(() => process.terminate(GRACE_MS, cause), ms);
    timers.push(timer);
    return timer;
  };
  if (timeoutMs !== null) arm(timeoutMs, "timeout");
  const quiet = quietTimeoutMs === null ? null : arm(quietTimeoutMs, "quiet-timeout");
  process.log.on("append", () => {
    if (process.live) quiet?.refresh();
    else for (const timer of timers) clearTimeout(timer);
  });
}

import type { AgentProcess } from "./agent-process.ts";

/** Time limits of one process, in milliseconds; null: none. */
export interface Deadlines {
  readonly timeoutMs: number | null;
  readonly quietTimeoutMs: number | null;
}

export const NO_DEADLINES: Deadlines = { timeoutMs: null, quietTimeoutMs: null };

/** SIGTERM first: what a command prints on its way out is worth having. */
const GRACE_MS = 500;

/**
 * Ends a process that runs too long, or that has printed nothing for too long. What has reached the
 * agent but waits for its turn behind the timer counts, so a busy agent blames no innocent process.
 */
export function enforceDeadlines(process: AgentProcess, deadlines: Deadlines): void {
  const { timeoutMs, quietTimeoutMs } = deadlines;
  const total = timeoutMs === null ? null : timer(timeoutMs, () => end("timeout"));
  const quiet = quietTimeoutMs === null ? null : timer(quietTimeoutMs, endIfQuiet);
  process.log.on("append", () => {
    if (process.live) quiet?.refresh();
    else for (const each of [total, quiet]) each?.clear();
  });

  function end(cause: "timeout" | "quiet-timeout"): void {
    process.terminate(GRACE_MS, cause);
  }

  function endIfQuiet(): void {
    if (!quiet?.refreshed) end("quiet-timeout");
  }
}

/** Calls `expired` after the events that came before the time was up have been dealt with. */
function timer(ms: number, expired: () => void) {
  let refreshed = false;
  const timeout = setTimeout(() => {
    refreshed = false;
    setImmediate(expired);
  }, ms);
  return {
    /** Whether it was refreshed after the time was up. */
    get refreshed(): boolean {
      return refreshed;
    },
    refresh(): void {
      refreshed = true;
      timeout.refresh();
    },
    clear: () => clearTimeout(timeout),
  };
}

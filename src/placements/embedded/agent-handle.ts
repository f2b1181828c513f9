import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Program } from "../../contract/agent.ts";
import { Problem } from "../../contract/problem.ts";
import { fromProblem, OutworkError } from "../../errors.ts";
import { isZombie, startTicks } from "./host-processes.ts";
import type { EnvironmentUser } from "./users.ts";

/** What a running agent is known by across restarts of the service. A pid alone may be reused. */
export const AgentRecord = z.object({
  pid: z.int(),
  /** Clock ticks after boot at which it started. @see proc_pid_stat(5) */
  start_ticks: z.string(),
  uid: z.int(),
  gid: z.int(),
  created_at: z.iso.datetime(),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

const Report = z.union([z.object({ ready: z.literal(true) }), z.object({ problem: Problem })]);

/** Starts an agent that outlives the service: a session of its own, an empty environment. */
export function spawnAgent(
  argv: Program,
  logPath: string,
  { uid, gid }: EnvironmentUser,
): ChildProcess {
  const [program = "", ...args] = argv;
  const log = openSync(logPath, "a", 0o600);
  try {
    const ids = process.getuid?.() === 0 ? { uid, gid } : {};
    return spawn(program, args, {
      ...ids,
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["ignore", "pipe", log],
    });
  } finally {
    closeSync(log);
  }
}

/**
 * Waits for the agent's one line of report.
 * @throws its problem, or `enforcement-missing`/`internal` when it ended without a word
 */
export async function agentReady(child: ChildProcess, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const report = await new Promise<string | null>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    child.once("error", reject);
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    lines.once("line", resolve);
    lines.once("close", () => resolve(null));
  });
  const parsed = report === null ? null : Report.parse(JSON.parse(report));
  if (parsed === null) throw new OutworkError("internal", "The agent ended before it was ready.");
  if ("problem" in parsed) throw fromProblem(parsed.problem);
  child.stdout?.destroy();
  child.unref();
}

export function isAlive({ pid, start_ticks }: AgentRecord): boolean {
  return startTicks(pid) === start_ticks && !isZombie(pid);
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** When memory runs out, commands go before the agent does. @see proc_pid_oom_score_adj(5) */
const OOM_SCORE = 300;

/**
 * Puts a launcher, and so all that it will start, into the environment's control groups.
 * @throws {Error} when a group cannot be joined: its limits would not hold
 */
export function placeLauncher(pid: number, groups: readonly string[]): void {
  writeFileSync(`/proc/${pid}/oom_score_adj`, String(OOM_SCORE));
  for (const group of groups) writeFileSync(join(group, "cgroup.procs"), String(pid));
}

import { readdirSync, readFileSync } from "node:fs";

/** What `/proc/PID/stat` says of a process, as far as trees need it. */
interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** The children of a process. @see proc_pid_stat(5) */
export function childrenOf(pid: number): readonly Stat[] {
  return allStats().filter(({ parent }) => parent === pid);
}

/** The pids of all that descend from a process. */
export function descendantsOf(pid: number): readonly number[] {
  const stats = allStats();
  const found = [pid];
  for (const ancestor of found) {
    found.push(...stats.filter(({ parent }) => parent === ancestor).map((stat) => stat.pid));
  }
  return found.slice(1);
}

function allStats(): readonly Stat[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .sort((a, b) => a.pid - b.pid);
}

function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything, parentheses included.
    const [, parent, group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(parent), group: Number(group) };
  } catch {
    return null;
  }
}

/**
 * The process group of a sandboxed command. The launcher's one child is the init of the sandbox, and
 * the init's first child is the command. Null before the command runs or after it has ended.
 */
export function commandGroup(launcherPid: number): number | null {
  const init = childrenOf(launcherPid)[0];
  return (init && childrenOf(init.pid)[0]?.group) ?? null;
}

/**
 * Kills a sandbox: its init first, since the kernel then kills all that is inside, whatever session
 * it has moved to; then the launcher, which would otherwise wait for a sandbox that never comes up.
 */
export function killSandbox(launcherPid: number): void {
  for (const { pid } of childrenOf(launcherPid)) killProcess(pid);
  killProcess(launcherPid);
}

export function isRunning(pid: number): boolean {
  return readStat(pid) !== null;
}

/** SIGKILL. Harmless when it has ended already. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

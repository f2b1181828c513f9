import { existsSync, readdirSync, readFileSync } from "node:fs";

/** What `/proc/PID/stat` says of a process, as far as trees need it. */
interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** Kernels without CONFIG_PROC_CHILDREN have no list of a process's children. */
const LISTS_CHILDREN = existsSync("/proc/thread-self/children");

/** The children of a process, the oldest first. @see proc_pid_task(5) */
export function childrenOf(pid: number): readonly number[] {
  if (!LISTS_CHILDREN) {
    return allStats()
      .filter(({ parent }) => parent === pid)
      .map((stat) => stat.pid);
  }
  const list = readProc(pid, `task/${pid}/children`) ?? "";
  return list.split(" ").filter(Boolean).map(Number);
}

/** The pids of all that descend from a process. */
export function descendantsOf(pid: number): readonly number[] {
  const found = [pid];
  for (const ancestor of found) found.push(...childrenOf(ancestor));
  return found.slice(1);
}

function allStats(): readonly Stat[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .sort((a, b) => a.pid - b.pid);
}

function statOf(pid: number): Stat | null {
  const text = readProc(pid, "stat");
  if (text === null) return null;
  // The name in parentheses may hold anything, parentheses included.
  const [, parent, group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(parent), group: Number(group) };
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return null;
  }
}

/**
 * The process group of a sandboxed command, which is the first child of the sandbox's init. Null before
 * the command runs or after it has ended.
 */
export function commandGroup(init: number): number | null {
  const [command] = childrenOf(init);
  return command === undefined ? null : (statOf(command)?.group ?? null);
}

/**
 * Kills a sandbox by its init, since the kernel then kills all that is inside, whatever session it has
 * moved to; and the launcher. A launcher whose init is not known yet is stopped first: while it could
 * still fork, what it starts would outlive it.
 */
export function killSandbox(launcher: number, init: number | null): void {
  if (init === null) {
    send(launcher, "SIGSTOP");
    for (const child of childrenOf(launcher)) send(child, "SIGKILL");
  } else send(init, "SIGKILL");
  send(launcher, "SIGKILL");
}

export function isRunning(pid: number): boolean {
  return statOf(pid) !== null;
}

/** SIGKILL. Harmless when it has ended already. */
export function killProcess(pid: number): void {
  send(pid, "SIGKILL");
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

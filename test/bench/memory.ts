import { readdirSync, readFileSync } from "node:fs";
import { systemCode } from "../../src/errors.ts";

const KIB_PER_MIB = 1024;

/** What these processes take together in MiB; what they share with others counts in proportion. */
export function proportionalMib(pids: readonly number[]): number {
  return (
    pids.reduce((sum, pid) => sum + field(`/proc/${pid}/smaps_rollup`, "Pss"), 0) / KIB_PER_MIB
  );
}

/** The most that a process has ever taken, in MiB. */
export function peakMib(pid: number): number {
  return field(`/proc/${pid}/status`, "VmHWM") / KIB_PER_MIB;
}

/** A process and everything below it. */
export function family(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  for (const member of found) found.push(...(children.get(member) ?? []));
  return found;
}

/** The parent's pid; undefined for a process that has ended meanwhile. @see proc_pid_stat(5) */
export function parentOf(pid: string): number | undefined {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[1],
    );
  } catch {
    return undefined;
  }
}

/** A process that has ended meanwhile takes nothing. */
function field(file: string, name: string): number {
  const text = textOf(file);
  const value = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1];
  if (value !== undefined) return Number(value);
  if (text === "" || /^State:\s+Z/m.test(text)) return 0;
  throw new Error(`${file} has no ${name}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ESRCH") return "";
    throw error;
  }
}

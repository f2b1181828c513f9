import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than any slow machine needs: what has not happened by then never will. */
const HANG_MS = 30_000;
const STEP_MS = 20;

/** Processes of this host that carry `marker` in their arguments or environment, by pid. */
export function processesWith(marker: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && carries(pid, marker));
}

function carries(pid: number, marker: string): boolean {
  return argumentsOf(pid).includes(marker) || contentOf(pid, "environ").includes(marker);
}

/** The arguments of a process, each ended by NUL; empty when there is no such process. */
export function argumentsOf(pid: number): string {
  return contentOf(pid, "cmdline");
}

function contentOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Resolves once `condition` holds. @throws {Error} saying `what` did not happen */
export async function eventually(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + HANG_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`it never happened that ${what}`);
    await sleep(STEP_MS);
  }
}

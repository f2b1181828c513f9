import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { descendantsOf, isRunning } from "./tree.ts";

/** Between two looks; longer and longer, since what is still there after a second may stay. */
const FIRST_STEP_MS = 20;
const LAST_STEP_MS = 500;

/**
 * Resolves when no process of a sandbox holds the command's output any more. Its init always does,
 * and writes nothing, so the end of the streams alone would wait for children without pipes too.
 */
export async function untilUnheld(init: number, signal: AbortSignal): Promise<void> {
  let stepMs = FIRST_STEP_MS;
  while (!signal.aborted && isRunning(init) && isHeld(init)) {
    await sleep(stepMs, undefined, { signal }).catch(() => {});
    stepMs = Math.min(stepMs * 2, LAST_STEP_MS);
  }
}

function isHeld(init: number): boolean {
  const ends = new Set([linkOf(init, "1"), linkOf(init, "2")]);
  return descendantsOf(init).some((pid) => linksOf(pid).some((link) => ends.has(link)));
}

function linksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => linkOf(pid, descriptor) ?? []);
  } catch {
    return [];
  }
}

function linkOf(pid: number, descriptor: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return null;
  }
}

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isWithin } from "../../policy/paths.ts";
import type { Place } from "./guards.ts";

/** A sandbox that is not built by then never will be. */
const STEP_MS = 1;
const STEPS = 10_000;
/** Where the launcher keeps the old tree until it is done. */
const OLD_ROOT = "/oldroot";
const COVERED_INIT = "/proc/1";

/** What is mounted somewhere: a part of a file system. */
interface Mounted {
  readonly device: string;
  readonly root: string;
}

/**
 * Waits until a sandbox's mounts are made, and says whether those places show what they should. The
 * launcher follows links and cannot be told not to, so a name that was swapped for a link in between
 * leads it astray; where a mount came from, the kernel tells without names.
 * True as well when the sandbox failed by itself.
 */
export async function showsPlaces(init: number, places: readonly Place[]): Promise<boolean> {
  const own = mountsOf("self");
  for (let step = 0; step < STEPS; step += 1) {
    const mounts = mountsOf(init);
    if (mounts === null) return true;
    if (own && isComplete(mounts)) return places.every((place) => isShown(place, mounts, own));
    await sleep(STEP_MS);
  }
  return false;
}

/** Every sandbox ends with its own `/proc`, in which its init is covered. */
function isComplete(mounts: ReadonlyMap<string, Mounted>): boolean {
  return mounts.has(COVERED_INIT) && !mounts.has(OLD_ROOT);
}

function isShown(
  { path, source }: Place,
  mounts: ReadonlyMap<string, Mounted>,
  own: ReadonlyMap<string, Mounted>,
): boolean {
  const expected = mountedAt(source, own);
  const { device, root } = mounts.get(path) ?? {};
  return expected !== null && device === expected.device && root === expected.root;
}

/** What a path of ours shows when no part of it is a link. */
function mountedAt(path: string, mounts: ReadonlyMap<string, Mounted>): Mounted | null {
  const around = [...mounts.keys()].filter((point) => isWithin(path, point));
  const point = around.reduce(
    (longest, next) => (next.length > longest.length ? next : longest),
    "",
  );
  const mounted = mounts.get(point);
  if (!mounted) return null;
  const below = point === "/" ? path : path.slice(point.length);
  return {
    device: mounted.device,
    root: mounted.root === "/" ? below || "/" : mounted.root + below,
  };
}

function mountsOf(pid: number | "self"): ReadonlyMap<string, Mounted> | null {
  try {
    return parseMounts(readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
  } catch {
    return null;
  }
}

/** By mount point; of several at one point the last covers the others. @see proc_pid_mountinfo(5) */
export function parseMounts(mountinfo: string): Map<string, Mounted> {
  const mounts = new Map<string, Mounted>();
  for (const line of mountinfo.split("\n")) {
    const [, , device, root, point] = line.split(" ");
    if (device === undefined || root === undefined || point === undefined) continue;
    mounts.set(unescaped(point), { device, root: unescaped(root) });
  }
  return mounts;
}

/** Spaces, tabs, newlines and backslashes are written as `\` and three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

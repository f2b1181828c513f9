import { readdirSync, readFileSync } from "node:fs";

/** The start time of a process, or null when there is none. */
export function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** True for a process that has ended and waits to be reaped, or has gone altogether. */
export function isZombie(pid: number): boolean {
  try {
    return /^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return true;
  }
}

/** Every running process of a user on this host. */
export function processesOf(uid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => uidOf(pid) === uid && !isZombie(pid));
}

/** Every running process that was started with this path among its arguments. */
export function processesNaming(path: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && argumentsOf(pid).includes(path) && !isZombie(pid));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** Every running process that has something of this folder mounted: what an environment left. */
export function processesWith(folder: string): number[] {
  const mounted = `${pathInFileSystem(folder)}/`;
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => mountsOf(pid).some(({ root }) => root.startsWith(mounted)) && !isZombie(pid));
}

/** Where a folder is in the file system that holds it, which is how mounts of it are listed. */
function pathInFileSystem(folder: string): string {
  const holder = mountsOf("self")
    .filter(({ point }) => point === "/" || folder === point || folder.startsWith(`${point}/`))
    .sort((a, b) => b.point.length - a.point.length)[0];
  if (!holder) return folder;
  const below = holder.point === "/" ? folder : folder.slice(holder.point.length);
  return holder.root === "/" ? below : holder.root + below;
}

/** @see proc_pid_mountinfo(5) */
function mountsOf(pid: number | "self"): { root: string; point: string }[] {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, "latin1").trim().split("\n");
    return lines.map((line) => {
      const [, , , root = "", point = ""] = line.split(" ");
      return { root: unescaped(root), point: unescaped(point) };
    });
  } catch {
    return [];
  }
}

/** Spaces, tabs, newlines and backslashes are written as `\\` and three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function uidOf(pid: number): number | null {
  try {
    return Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return null;
  }
}

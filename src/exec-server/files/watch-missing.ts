import { type FSWatcher, watch } from "node:fs";
import { access, lstat } from "node:fs/promises";
import type { Watch, WatchedPaths } from "../ports.ts";
import { child, lastName, namesOf, parent, pathOf } from "./native.ts";

/** What to watch: a folder that exists, and the name in it that matters. */
interface Spot {
  readonly folder: Buffer;
  readonly name: Buffer;
}

/**
 * Watches the nearest folder above each path. Null when a path exists already, `present` does not,
 * or the kernel cannot watch.
 */
export async function watchMissing({ missing, present }: WatchedPaths): Promise<Watch | null> {
  const absent = missing.map(pathOf);
  const spots = await Promise.all(absent.map(spotOf));
  const kept = present === null ? null : pathOf(present);
  if (kept !== null) spots.push({ folder: parent(kept), name: lastName(kept) });
  const watching = begin(spots);
  if (watching !== null && (await asExpected(absent, kept))) return watching;
  watching?.[Symbol.dispose]();
  return null;
}

/** Looked at once more when the watch stands, so that nothing slips in between. */
async function asExpected(absent: readonly Buffer[], kept: Buffer | null): Promise<boolean> {
  const found = await Promise.all(absent.map(exists));
  return !found.includes(true) && (kept === null || (await exists(kept)));
}

async function exists(path: Buffer): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

async function spotOf(path: Buffer): Promise<Spot> {
  let folder: Buffer = Buffer.from("/");
  for (const name of namesOf(path)) {
    const next = child(folder, name);
    if (!(await reachable(next))) return { folder, name };
    folder = next;
  }
  return { folder, name: Buffer.alloc(0) };
}

async function reachable(path: Buffer): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

function begin(spots: readonly Spot[]): Watch | null {
  const watchers: FSWatcher[] = [];
  let report = () => {};
  const changed = new Promise<void>((resolve) => {
    report = resolve;
  });
  const end = () => {
    for (const watcher of watchers) watcher.close();
  };
  try {
    for (const [folder, names] of byFolder(spots))
      watchers.push(watchFolder(folder, names, report));
  } catch {
    end();
    return null;
  }
  return { changed, [Symbol.dispose]: end };
}

/** Folders and names as one character a byte, so that they can be keys. */
function byFolder(spots: readonly Spot[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const { folder, name } of spots) {
    const key = folder.toString("latin1");
    const names = folders.get(key) ?? new Set([lastName(folder).toString("latin1")]);
    folders.set(key, names.add(name.toString("latin1")));
  }
  return folders;
}

/** The folder's own name is reported when the folder itself goes away. */
function watchFolder(folder: string, names: ReadonlySet<string>, report: () => void): FSWatcher {
  const path = Buffer.from(folder, "latin1");
  const watcher = watch(path, { encoding: "buffer", persistent: false }, (_, name) => {
    if (name === null || names.has(name.toString("latin1"))) report();
  });
  return watcher.on("error", report);
}

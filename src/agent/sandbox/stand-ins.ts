import { lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { STAND_IN_MODE } from "../../archive/stand-in.ts";
import { systemCode } from "../../errors.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

interface Held {
  readonly folder: PinnedFolder;
  count: number;
}

/**
 * Empty folders that stand where a protected name is missing, so that a read-only mount can keep
 * commands from making it. Counted across all commands of the environment: a command that ends must
 * not take away the guard of one that still runs.
 */
export class StandIns {
  readonly #held = new Map<string, Held>();
  /** Every name that has been held so far. */
  readonly names = new Set<string>();

  /** Makes sure that something of this name stands in `folder`. The returned function lets go of it, once. */
  hold(folder: PinnedFolder, name: string): () => void {
    this.names.add(name);
    const key = `${folder.identity}/${name}`;
    const held = this.#held.get(key);
    if (held) held.count += 1;
    else if (make(`${folder.path}/${name}`))
      this.#held.set(key, { folder: folder.hold(), count: 1 });
    else return () => {};
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(key, name);
    };
  }

  #release(key: string, name: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    held.count -= 1;
    if (held.count > 0) return;
    this.#held.delete(key);
    sweepStandIn(`${held.folder.path}/${name}`);
    held.folder.close();
  }
}

/**
 * Removes a stand-in: an empty folder with its mode, which tells it from what an owner has put in its
 * place, and in what a killed agent has left.
 */
export function sweepStandIn(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() && (stat.mode & 0o7777) === STAND_IN_MODE) removeEmpty(path);
}

/** True when made here; false when something is there already, or nobody could make it. */
function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: STAND_IN_MODE });
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST" || code === "EACCES" || code === "EROFS" || code === "ENOENT")
      return false;
    throw error;
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "ENOTDIR") throw error;
  }
}

import { lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { systemCode } from "../../errors.ts";

/** Mode of a stand-in, and how leftovers of a killed agent are told from a caller's own folders. */
const STAND_IN_MODE = 0o555;

/**
 * Empty folders that stand where a protected name is missing, so that a read-only mount can keep
 * commands from making it. Counted across all commands of the environment: a command that ends must
 * not take away the guard of one that still runs.
 */
export class StandIns {
  readonly #held = new Map<string, number>();

  /** Makes sure that something stands at `path`. The returned function lets go of it, once. */
  hold(path: string): () => void {
    const count = this.#held.get(path) ?? 0;
    if (count === 0 && !make(path)) return () => {};
    this.#held.set(path, count + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(path);
    };
  }

  #release(path: string): void {
    const count = (this.#held.get(path) ?? 1) - 1;
    if (count > 0) {
      this.#held.set(path, count);
      return;
    }
    this.#held.delete(path);
    removeEmpty(path);
  }
}

/** Removes what a killed agent left at `path`: an empty folder with a stand-in's mode. */
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
    if (code === "EEXIST" || code === "EACCES" || code === "EROFS") return false;
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

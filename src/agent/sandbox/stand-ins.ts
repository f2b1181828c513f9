import { chmodSync, closeSync, fstatSync, lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { systemCode } from "../../errors.ts";
import { childOf, openChild, openPath } from "./descriptors.ts";

/** Mode of a stand-in, and how leftovers of a killed agent are told from a caller's own folders. */
const STAND_IN_MODE = 0o555;

/** What an owner needs of a folder to make and remove something in it. */
const WRITE_AND_SEARCH = 0o300;

interface StandIn {
  readonly folder: number;
  readonly name: string;
  holders: number;
}

/**
 * Empty folders that stand where a protected name is missing, so that a read-only mount can keep
 * commands from making it. Counted across all commands of the environment: a command that ends must
 * not take away the guard of one that still runs.
 */
export class StandIns {
  readonly #held = new Map<string, StandIn>();

  /**
   * Makes sure that something stands at `name` in an open folder. The returned function lets go of
   * it, once.
   */
  hold(folder: number, name: string): () => void {
    const { dev, ino } = fstatSync(folder);
    const key = `${dev}:${ino}:${name}`;
    const made = make(folder, name);
    if (!made && !this.#held.has(key)) return () => {};
    const standIn = this.#held.get(key) ?? { folder: openChild(folder, "."), name, holders: 0 };
    this.#held.set(key, standIn);
    standIn.holders += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(key, standIn);
    };
  }

  #release(key: string, standIn: StandIn): void {
    standIn.holders -= 1;
    if (standIn.holders > 0) return;
    this.#held.delete(key);
    const { folder, name } = standIn;
    withAccess(folder, () => removeEmpty(childOf(folder, name)));
    closeSync(folder);
  }
}

/** Removes what a killed agent left at `path`: an empty folder with a stand-in's mode. */
export function sweepStandIn(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() && (stat.mode & 0o7777) === STAND_IN_MODE) removeEmpty(path);
}

/**
 * Does something in an open folder although its owner, who we are, may have locked himself out: a
 * command that does so must not get rid of its guards by it.
 */
export function withAccess<T>(folder: number, act: () => T): T {
  const { uid, mode } = fstatSync(folder);
  const own = uid === process.geteuid?.();
  if (!own || (mode & WRITE_AND_SEARCH) === WRITE_AND_SEARCH) return act();
  chmodSync(openPath(folder), (mode & 0o7777) | WRITE_AND_SEARCH);
  try {
    return act();
  } finally {
    chmodSync(openPath(folder), mode & 0o7777);
  }
}

/** True when made here; false when something is there already, or none of us could make it. */
function make(folder: number, name: string): boolean {
  try {
    mkdirSync(childOf(folder, name), { mode: STAND_IN_MODE });
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST" || code === "EACCES" || code === "EROFS") return false;
    throw error;
  }
}

/** What cannot be removed is left: it stands in nobody's way, and the next agent sweeps it. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

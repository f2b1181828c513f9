import { chmodSync, lstatSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { STAND_IN_MODE } from "../../archive/stand-in.ts";
import { systemCode } from "../../errors.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

/**
 * How long they stay after the last command: taking them away costs the kernel more than the sandbox
 * of the next command would, and commands often follow each other.
 */
const LINGER_MS = 200;

/** What its owner needs of a folder to make and remove something in it. */
const WRITE_AND_SEARCH = 0o300;

interface Held {
  readonly folder: PinnedFolder;
  readonly name: string;
  count: number;
  leaving: NodeJS.Timeout | null;
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

  constructor() {
    process.once("exit", () => this.#removeAll());
  }

  /** Makes sure that something of this name stands in `folder`. The returned function lets go of it, once. */
  hold(folder: PinnedFolder, name: string): () => void {
    this.names.add(name);
    const key = `${folder.identity}/${name}`;
    const held = this.#held.get(key) ?? this.#make(key, folder, name);
    if (held === null) return () => {};
    held.count += 1;
    if (held.leaving) clearTimeout(held.leaving);
    let released = false;
    return () => {
      if (!released) this.#release(key, held);
      released = true;
    };
  }

  /** Null when something is there already, or nobody could make it. */
  #make(key: string, folder: PinnedFolder, name: string): Held | null {
    if (!make(`${folder.path}/${name}`)) return null;
    const held: Held = { folder: folder.hold(), name, count: 0, leaving: null };
    this.#held.set(key, held);
    return held;
  }

  #release(key: string, held: Held): void {
    held.count -= 1;
    if (held.count > 0) return;
    held.leaving = setTimeout(() => this.#remove(key, held), LINGER_MS).unref();
  }

  #remove(key: string, { folder, name }: Held): void {
    this.#held.delete(key);
    withAccess(folder, () => sweepStandIn(`${folder.path}/${name}`));
    folder.close();
  }

  #removeAll(): void {
    for (const [key, held] of this.#held) this.#remove(key, held);
  }
}

/**
 * Does something in a folder although its owner, who we are, may have locked himself out: a command
 * that does so must not get rid of guards by it.
 */
export function withAccess<T>({ path }: PinnedFolder, act: () => T): T {
  const { uid, mode } = statSync(path);
  const isOwn = uid === process.geteuid?.();
  if (!isOwn || (mode & WRITE_AND_SEARCH) === WRITE_AND_SEARCH) return act();
  chmodSync(path, (mode & 0o7777) | WRITE_AND_SEARCH);
  try {
    return act();
  } finally {
    chmodSync(path, mode & 0o7777);
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

/** What cannot be removed is left: it stands in nobody's way, and the next agent sweeps it. */
function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

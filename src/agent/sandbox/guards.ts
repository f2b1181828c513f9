import { fstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { OutworkError, systemCode } from "../../errors.ts";
import { isWithin } from "../../policy/paths.ts";
import type { EnvironmentView } from "../view.ts";
import { type Descriptors, openChild, openFolder } from "./descriptors.ts";
import { gitFolderOf } from "./git-pointer.ts";
import { type StandIns, withAccess } from "./stand-ins.ts";

/**
 * A file or folder that is mounted over its own place, writable or not. It is held open: where its path
 * leads may change at any time.
 */
export interface Place {
  readonly path: string;
  readonly descriptor: number;
  readonly writable: boolean;
}

/** What one command may write, and what to undo when it has ended. */
export interface Guards {
  /** Outer ones first. */
  readonly places: readonly Place[];
  release(): void;
}

/** What guards are made with. `opened` gets every descriptor. */
export interface GuardMeans {
  readonly view: EnvironmentView;
  readonly standIns: StandIns;
  readonly opened: Descriptors;
}

/**
 * Resolves writable roots and guards their protected names. A root that does not exist is left out: it
 * is not made, and nothing else is granted in its place.
 * @throws `policy-denied` a protected name is a link, which a mount cannot hold in place
 */
export function guardRoots(
  roots: readonly string[],
  protectedNames: readonly string[],
  means: GuardMeans,
): Guards {
  const guarding = new Guarding(means);
  try {
    guarding.addRoots(roots);
    guarding.guardNames(protectedNames);
    guarding.pinWays();
    return { places: guarding.places(), release: () => guarding.release() };
  } catch (error) {
    guarding.release();
    if (error instanceof OutworkError || systemCode(error) === undefined) throw error;
    throw changing(error);
  }
}

class Guarding {
  readonly #means: GuardMeans;
  readonly #places = new Map<string, Place>();
  readonly #releases: (() => void)[] = [];

  constructor(means: GuardMeans) {
    this.#means = means;
  }

  /** A folder must be mounted before what is in it. */
  places(): readonly Place[] {
    return [...this.#places.values()].sort((a, b) => a.path.length - b.path.length);
  }

  release(): void {
    for (const undo of this.#releases.splice(0)) undo();
  }

  addRoots(paths: readonly string[]): void {
    for (const path of paths) {
      const root = this.#existingRoot(path);
      if (root) this.#add(root);
    }
  }

  guardNames(names: readonly string[]): void {
    for (const root of this.#roots()) {
      withAccess(root.descriptor, () => {
        for (const name of names) this.#guardName(root, name);
      });
    }
  }

  /**
   * Mounts the folders between a root and a place deeper inside it: a mount keeps its own name only, and
   * would move along with a folder above it.
   */
  pinWays(): void {
    for (const { path } of this.places()) {
      for (let above = dirname(path); !this.#roots().some((root) => root.path === above); ) {
        if (this.#innermost(above)?.writable !== true) break;
        this.#add(this.#openFolder(above, true));
        above = dirname(above);
      }
    }
  }

  #existingRoot(path: string): Place | null {
    try {
      return this.#openFolder(this.#means.view.realpath(path), true);
    } catch {
      return null;
    }
  }

  #guardName(root: Place, name: string): void {
    const path = join(root.path, name);
    if (this.#places.has(path)) return;
    this.#releases.push(this.#means.standIns.hold(root.descriptor, name));
    const descriptor = openExisting(root.descriptor, name);
    if (descriptor === null) return;
    this.#means.opened.keep(descriptor);
    if (fstatSync(descriptor).isSymbolicLink()) throw linkRefused(path);
    this.#add({ path, descriptor, writable: false });
    if (name === ".git") this.#guardGitFolder(path, descriptor);
  }

  /** The folder that a `.git` file points to is as good as `.git` itself. */
  #guardGitFolder(path: string, descriptor: number): void {
    const folder = gitFolderOf(path, descriptor, this.#means.view);
    if (folder === null || this.#places.has(folder) || !this.#innermost(folder)?.writable) return;
    this.#add(this.#openFolder(folder, false));
  }

  /** @throws the system's error, when it is no folder, or was moved a moment ago */
  #openFolder(path: string, writable: boolean): Place {
    const way = this.#means.view.wayTo(path);
    if (way === null) throw new Error(`${path} is not in view`);
    return { path, descriptor: this.#means.opened.keep(openFolder(way)), writable };
  }

  #add(place: Place): void {
    if (!this.#places.has(place.path)) this.#places.set(place.path, place);
  }

  #roots(): readonly Place[] {
    return this.places().filter(({ writable }) => writable);
  }

  #innermost(path: string): Place | undefined {
    return this.places()
      .filter((place) => isWithin(path, place.path))
      .at(-1);
  }
}

function openExisting(folder: number, name: string): number | null {
  try {
    return openChild(folder, name);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

function changing(cause: unknown): OutworkError {
  return new OutworkError(
    "policy-denied",
    "A folder that the policy names, or one around it, was moved or locked while its guards were put up. " +
      "Repeat the request when nothing else works on these folders.",
    { cause, facts: { rule: "guarded-folder-changes" } },
  );
}

function linkRefused(path: string): OutworkError {
  return new OutworkError(
    "policy-denied",
    `${path} is a symbolic link. A protected name must be a file or a folder, because a link inside a ` +
      "writable root could be replaced. Replace the link by what it points to, or use the preset read-only.",
    { facts: { rule: "protected-name-is-a-link", path } },
  );
}

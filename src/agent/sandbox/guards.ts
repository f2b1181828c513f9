import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { OutworkError } from "../../errors.ts";
import { isWithin } from "../../policy/paths.ts";
import { firstBytes } from "../first-bytes.ts";
import type { EnvironmentView } from "../view.ts";
import type { Bounds } from "./bounds.ts";
import { PinnedFolder } from "./pinned-folder.ts";
import { type StandIns, withAccess } from "./stand-ins.ts";

/** One file or folder under both its names, to be mounted over itself. */
export interface Place {
  /** Inside the environment; no link in it. */
  readonly path: string;
  /** Where the agent finds it. */
  readonly source: string;
  readonly writable: boolean;
}

/** What a policy says of files, where it names roots. */
export interface RootFiles {
  readonly write: string[];
  readonly protected_names: string[];
}

/** What one command may write and what it may not, and what to undo when it has ended. */
export interface Guards {
  /** In the order of mounting. */
  readonly places: readonly Place[];
  /** Those that another command could have replaced while this one's sandbox is built. */
  readonly unsteady: readonly Place[];
  release(): void;
}

/** The most of a `.git` file that is looked at. */
const POINTER_BYTES = 8_192;

/**
 * Resolves the writable roots of one command and guards their protected names.
 * @throws `policy-denied` a protected name is a link, which a mount cannot hold in place
 */
export function guardRoots(
  files: RootFiles,
  bounds: Bounds,
  view: EnvironmentView,
  standIns: StandIns,
): Guards {
  const guarding = new Guarding(
    bounds.realRoots(files.write),
    files.protected_names,
    view,
    standIns,
  );
  try {
    const places = guarding.places();
    const unsteady = places.filter(({ path }) => !bounds.isSteady(path));
    return { places, unsteady, release: () => guarding.release() };
  } catch (error) {
    guarding.release();
    throw error;
  }
}

class Guarding {
  /** Shortest first, so that a root inside another is mounted after it. */
  readonly #roots: readonly string[];
  readonly #names: readonly string[];
  readonly #view: EnvironmentView;
  readonly #standIns: StandIns;
  readonly #releases: (() => void)[] = [];

  constructor(
    roots: readonly string[],
    names: readonly string[],
    view: EnvironmentView,
    standIns: StandIns,
  ) {
    this.#roots = roots;
    this.#names = names;
    this.#view = view;
    this.#standIns = standIns;
  }

  places(): Place[] {
    return this.#roots.flatMap((root) => {
      const folder = this.#pin(root);
      if (folder === null) return [];
      const place = this.#place(root, true);
      return [
        ...this.#wayTo(root),
        place,
        ...withAccess(folder, () => this.#names.flatMap((name) => this.#guard(root, folder, name))),
      ];
    });
  }

  release(): void {
    for (const undo of this.#releases.splice(0)) undo();
  }

  /** Null when it is gone by now. */
  #pin(root: string): PinnedFolder | null {
    const anchor = this.#view.anchor(root);
    if (anchor === null) return null;
    try {
      const folder = PinnedFolder.open(anchor.source, anchor.below);
      this.#releases.push(() => folder.close());
      return folder;
    } catch {
      return null;
    }
  }

  #guard(root: string, folder: PinnedFolder, name: string): Place[] {
    const path = join(root, name);
    if (this.#roots.includes(path)) return [];
    this.#releases.unshift(this.#standIns.hold(folder, name));
    const held = join(folder.path, name);
    const stat = lstatSync(held, { throwIfNoEntry: false });
    if (!stat) return [];
    if (stat.isSymbolicLink()) throw linkRefused(path);
    const pointedTo = name === ".git" && stat.isFile() ? this.#gitFolder(root, held) : [];
    return [this.#place(path, false), ...pointedTo];
  }

  /** The git folder that a `.git` file points to, when commands could write it. */
  #gitFolder(root: string, held: string): Place[] {
    const pointer = /^gitdir: (.+)$/m.exec(firstBytes(held, POINTER_BYTES))?.[1]?.trim();
    const folder = pointer === undefined ? null : this.#realFolder(resolve(root, pointer));
    if (folder === null || this.#roots.includes(folder)) return [];
    const isOpen = this.#rootAround(folder) !== null && !this.#isGuarded(folder);
    return isOpen ? [...this.#wayTo(folder), this.#place(folder, false)] : [];
  }

  #realFolder(path: string): string | null {
    try {
      const real = this.#view.realpath(path);
      return lstatSync(this.#view.follow(real)).isDirectory() ? real : null;
    } catch {
      return null;
    }
  }

  /**
   * The folders between a place and the root around it, each mounted over itself: what is a mount point
   * cannot be renamed, and nothing can be put where it was.
   */
  #wayTo(path: string): Place[] {
    const root = this.#rootAround(path);
    const way: Place[] = [];
    if (root === null) return way;
    for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
      if (!this.#isGuarded(folder)) way.unshift(this.#place(folder, true));
    }
    return way;
  }

  #rootAround(path: string): string | null {
    return this.#roots.findLast((root) => root !== path && isWithin(path, root)) ?? null;
  }

  #isGuarded(path: string): boolean {
    const root = this.#rootAround(path);
    return this.#names.some((name) => root !== null && isWithin(path, join(root, name)));
  }

  #place(path: string, writable: boolean): Place {
    return { path, source: this.#view.locate(path) ?? path, writable };
  }
}

function linkRefused(path: string): OutworkError {
  return new OutworkError(
    "policy-denied",
    `${path} is a symbolic link. A protected name must be a file or a folder, because a link inside a ` +
      "writable root could be replaced. Replace the link by what it points to, or use the preset read-only.",
    { facts: { rule: "protected-name-is-a-link", path } },
  );
}

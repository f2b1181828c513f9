import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import { OutworkError } from "../../errors.ts";
import { isWithin } from "../../policy/paths.ts";
import type { EnvironmentView } from "../view.ts";
import type { StandIns } from "./stand-ins.ts";

/** A writable root, links resolved, as the mount plan needs it. */
export interface WritableRoot extends Place {
  /** What stays read-only although it lies in a writable root; everything named exists. */
  readonly guarded: readonly Place[];
}

/** One file or folder under both its names. */
export interface Place {
  /** Inside the environment. */
  readonly path: string;
  /** Where the agent finds it. */
  readonly source: string;
}

/** The roots of one command, and what to undo when it has ended. */
export interface Guards {
  readonly roots: readonly WritableRoot[];
  release(): void;
}

/**
 * Resolves writable roots and guards their protected names. A root that does not exist is left out: it
 * is not made, and nothing else is granted in its place.
 * @throws `policy-denied` a protected name is a link, which a mount cannot hold in place
 */
export function guardRoots(
  paths: readonly string[],
  protectedNames: readonly string[],
  view: EnvironmentView,
  standIns: StandIns,
): Guards {
  const roots = existingRoots(paths, view);
  const releases: (() => void)[] = [];
  const release = () => {
    for (const undo of releases.splice(0)) undo();
  };
  try {
    const guarded = roots.map((root) => ({
      ...root,
      guarded: guardNames(root, protectedNames, roots, standIns, releases),
    }));
    return { roots: guarded, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Shortest first, so that a root inside another is mounted after it. */
function existingRoots(paths: readonly string[], view: EnvironmentView): Place[] {
  const found = new Map<string, Place>();
  for (const path of paths) {
    const root = existingRoot(path, view);
    if (root) found.set(root.path, root);
  }
  return [...found.values()].sort((a, b) => a.path.length - b.path.length);
}

function existingRoot(path: string, view: EnvironmentView): Place | null {
  try {
    const real = view.realpath(path);
    const source = view.locate(real);
    return source !== null && lstatSync(source).isDirectory() ? { path: real, source } : null;
  } catch {
    return null;
  }
}

function guardNames(
  root: Place,
  names: readonly string[],
  roots: readonly Place[],
  standIns: StandIns,
  releases: (() => void)[],
): Place[] {
  const isRoot = (path: string) => roots.some((other) => other.path === path);
  return names.flatMap((name) => {
    const path = join(root.path, name);
    if (isRoot(path)) return [];
    const source = join(root.source, name);
    releases.push(standIns.hold(source));
    const stat = lstatSync(source, { throwIfNoEntry: false });
    if (!stat) return [];
    if (stat.isSymbolicLink()) throw linkRefused(path);
    const folders = gitFolder(root, source, stat, roots).filter((folder) => !isRoot(folder.path));
    return [{ path, source }, ...folders];
  });
}

/** The git folder that a `.git` file points to, when commands could write it. */
function gitFolder(root: Place, source: string, stat: Stats, roots: readonly Place[]): Place[] {
  if (!stat.isFile() || !source.endsWith("/.git")) return [];
  const pointer = /^gitdir: (.+)$/m.exec(readFileSync(source, "utf8").slice(0, 8192));
  if (!pointer?.[1]) return [];
  const folder = resolve(root.path, pointer[1].trim());
  const holder = roots.find((other) => isWithin(folder, other.path));
  if (!holder) return [];
  const located = join(holder.source, folder.slice(holder.path.length));
  return lstatSync(located, { throwIfNoEntry: false })?.isDirectory()
    ? [{ path: folder, source: located }]
    : [];
}

function linkRefused(path: string): OutworkError {
  return new OutworkError(
    "policy-denied",
    `${path} is a symbolic link. A protected name must be a file or a folder, because a link inside a ` +
      "writable root could be replaced. Replace the link by what it points to, or use the preset read-only.",
    { facts: { rule: "protected-name-is-a-link", path } },
  );
}

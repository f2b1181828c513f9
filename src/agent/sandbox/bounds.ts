import { lstatSync } from "node:fs";
import type { EffectivePolicy } from "../../contract/policy.ts";
import { isWithin, mayWrite } from "../../policy/paths.ts";
import type { EnvironmentView } from "../view.ts";

type Files = EffectivePolicy["files"];

interface Resolved {
  /** The folder itself, no link left in its path. */
  readonly real: string;
  /** Where the links are that led there. */
  readonly links: readonly string[];
}

/**
 * What all commands of an environment together may write, as real folders. A root that is there when
 * the first command asks stays the folder it was: a link that is swapped later moves nothing.
 */
export class Bounds {
  readonly #files: Files;
  readonly #view: EnvironmentView;
  readonly #known = new Map<string, Resolved>();

  constructor(files: Files, view: EnvironmentView) {
    this.#files = files;
    this.#view = view;
    this.#resolveAll();
  }

  /**
   * The real folders behind the roots of one command, none of them outside these bounds. Roots that do
   * not exist are left out, and nothing is granted in their place.
   */
  realRoots(paths: readonly string[]): readonly string[] {
    const own = this.#resolveAll();
    const files = this.#real(own);
    const found = paths.flatMap((path) => {
      const resolved = this.#known.get(path) ?? resolveFolder(path, this.#view);
      return resolved && mayWrite({ files }, resolved.real) ? [resolved.real] : [];
    });
    return [...new Set(found)].sort((a, b) => a.length - b.length);
  }

  /** Whether no command can put something else in the place of `path`, or of a folder on the way to it. */
  isSteady(path: string): boolean {
    if (this.#view.anchor(path)?.below.length === 0) return true;
    if (this.#files.write === "all") return false;
    const { protected_names } = this.#files;
    return ![...this.#known.values()].some(({ real }) => {
      if (path === real || !isWithin(path, real)) return false;
      return !protected_names.includes(segmentBelow(path, real));
    });
  }

  #resolveAll(): readonly Resolved[] {
    if (this.#files.write === "all") return [];
    for (const path of this.#files.write) {
      const resolved = this.#known.has(path) ? null : resolveFolder(path, this.#view);
      if (resolved) this.#known.set(path, resolved);
    }
    return [...this.#known.values()];
  }

  /** A link that a command could have made counts only as far as it leads to where commands may write. */
  #real(roots: readonly Resolved[]): Files {
    if (this.#files.write === "all") return this.#files;
    const within = (path: string) =>
      roots.some(({ real }) => path !== real && isWithin(path, real));
    const trusted = roots.filter(({ links }) => !links.some(within));
    const granted = roots.filter(
      (root) => trusted.includes(root) || trusted.some(({ real }) => isWithin(root.real, real)),
    );
    return { ...this.#files, write: granted.map(({ real }) => real) };
  }
}

function resolveFolder(path: string, view: EnvironmentView): Resolved | null {
  const links: string[] = [];
  try {
    const real = view.realpath(path, (link) => links.push(link));
    const located = view.locate(real);
    return located !== null && lstatSync(located).isDirectory() ? { real, links } : null;
  } catch {
    return null;
  }
}

function segmentBelow(path: string, root: string): string {
  return path.slice(root === "/" ? 1 : root.length + 1).split("/", 1)[0] ?? "";
}

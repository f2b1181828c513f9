import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Layout } from "../contract/agent.ts";
import { isWithin } from "../policy/paths.ts";

/** As many links as the kernel follows. @see path_resolution(7) */
const MAX_LINKS = 40;

/** A path of the environment that cannot be followed to its end; `code` as the kernel would say. */
export class ViewError extends Error {
  override readonly name = "ViewError";
  readonly code: "ENOENT" | "ENOTDIR" | "ELOOP" | "EACCES";

  constructor(code: ViewError["code"], path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

/**
 * The environment's file tree as its commands see it, looked at from the agent's side, where the
 * same files may have other paths. Answers are for mount plans and error texts: a command's own
 * access is the kernel's business.
 */
export class EnvironmentView {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** Where the agent finds an environment path (links not followed); null when it is not in view. */
  locate(path: string): string | null {
    const anchor = this.anchor(path);
    return anchor && join(anchor.source, ...anchor.below);
  }

  /**
   * The same in two parts: where the mount around it comes from, which commands cannot replace, and the
   * segments below that.
   */
  anchor(path: string): { readonly source: string; readonly below: readonly string[] } | null {
    const mount = this.#layout.mounts
      .filter(({ target }) => isWithin(path, target))
      .sort((a, b) => b.target.length - a.target.length)[0];
    if (mount) return { source: mount.source, below: segmentsOf(path.slice(mount.target.length)) };
    const isShown =
      this.#layout.kind === "container" ||
      this.#layout.folders.some((folder) => isWithin(path, folder));
    return isShown ? { source: "/", below: segmentsOf(path) } : null;
  }

  /**
   * The environment path with every link resolved. `onLink` hears where each of them is.
   * @throws {ViewError} ENOENT, ENOTDIR, ELOOP or EACCES
   */
  realpath(path: string, onLink: (link: string) => void = () => {}): string {
    const pending = segmentsOf(path);
    let resolved = "/";
    let links = 0;
    for (let segment = pending.shift(); segment !== undefined; segment = pending.shift()) {
      if (segment === "..") {
        resolved = dirname(resolved);
        continue;
      }
      const next = join(resolved, segment);
      const target = this.#linkTarget(next, pending.length > 0);
      if (target === null) {
        resolved = next;
        continue;
      }
      if (++links > MAX_LINKS) throw new ViewError("ELOOP", path);
      onLink(next);
      if (target.startsWith("/")) resolved = "/";
      pending.unshift(...segmentsOf(target));
    }
    return resolved;
  }

  /** The agent's path of a file, links followed. @throws {ViewError} */
  follow(path: string): string {
    const resolved = this.realpath(path);
    const located = this.locate(resolved);
    if (located === null) throw new ViewError("ENOENT", path);
    return located;
  }

  /** What a link says, or null for anything else; `mustBeFolder` when more segments follow. */
  #linkTarget(path: string, mustBeFolder: boolean): string | null {
    const located = this.locate(path);
    if (located === null) {
      if (this.#leadsToMount(path)) return null;
      throw new ViewError("ENOENT", path);
    }
    const stat = statOf(located, path);
    if (stat.isSymbolicLink()) return readlinkSync(located);
    if (mustBeFolder && !stat.isDirectory()) throw new ViewError("ENOTDIR", path);
    return null;
  }

  /** Folders that exist in the view only because something is mounted below them. */
  #leadsToMount(path: string): boolean {
    if (this.#layout.kind === "container") return false;
    const targets = [...this.#layout.mounts.map(({ target }) => target), ...this.#layout.folders];
    return targets.some((target) => isWithin(target, path));
  }
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function statOf(located: string, path: string) {
  try {
    return lstatSync(located);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ViewError(code === "ENOTDIR" || code === "EACCES" ? code : "ENOENT", path);
  }
}

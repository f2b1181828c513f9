import { fitsHost, nativePath, type PathUri, unfit } from "../path-uri.ts";
import { SandboxRefusal } from "./refusal.ts";

/** Is `path` that folder, or below it? Both absolute and normal. */
export function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The deepest of the folders that hold the path, the path itself included. */
export function deepestHolding(folders: readonly string[], path: string): string | undefined {
  return folders.filter((folder) => within(path, folder)).sort((a, b) => b.length - a.length)[0];
}

/** The host's path. `what` names the place of the URI in the request. */
export function hostPath(uri: PathUri, what: string): string {
  if (!fitsHost(uri)) throw new SandboxRefusal("foreign", `invalid sandbox ${what}: ${unfit(uri)}`);
  return normal(nativePath(uri), uri);
}

/** A path below `root`, from a client that writes it with slashes. */
export function joined(root: string, subpath: string): string {
  return normal(root === "/" ? `/${subpath}` : `${root}/${subpath}`, subpath);
}

/** Escaped slashes can hide `..` from the URI's own normalisation. */
function normal(path: string, shown: string): string {
  const segments = path.split("/").slice(1);
  const odd = segments.some((segment) => segment === "" || segment === "." || segment === "..");
  if (path === "/" || (!odd && !path.includes("\uFFFD") && !path.includes("\0"))) return path;
  throw new SandboxRefusal("inexpressible", `'${shown}' does not name one plain path`);
}

import { posix } from "node:path";

/** What is there already at a place, or what a source is. */
export type Kind = "file" | "folder" | "none";

/**
 * Where the copy ends up. Into a folder that exists, or whose name ends in `/`, it goes under its own
 * name; otherwise the destination is its name. A source that ends in `.` is what is in that folder.
 */
export function targetPath(source: string, destination: string, existing: Kind): string {
  const into = existing === "folder" || destination.endsWith("/");
  return into ? posix.join(destination, ownName(source)) : destination;
}

function ownName(source: string): string {
  const name = posix.basename(source);
  return name === ".." ? "." : name;
}

/** A path of an environment, absolute: a relative one is below the workspace. */
export function pathThere(path: string, workspace: string): string {
  return withoutSlash(posix.resolve(workspace, path));
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

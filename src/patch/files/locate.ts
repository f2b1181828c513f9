import { posix } from "node:path";
import { systemCode } from "../../errors.ts";
import type { FileStat, PatchFiles } from "./port.ts";

/** As many links as the kernel follows. @see path_resolution(7) */
const MAX_LINKS = 40;

const MISSING = new Set(["ENOENT", "ENOTDIR"]);

/** A path without links on the way; `stat` is null where only the last name is missing. */
export type Located = { readonly path: string; readonly stat: FileStat | null };

/**
 * Where a path leads, asked name by name.
 * @param leaf whether a link at the end is followed as well
 * @throws ENOENT, ENOTDIR or ELOOP, as the kernel would
 */
export async function locate(
  files: Pick<PatchFiles, "followsLinks" | "lstat" | "readlink">,
  path: string,
  leaf: "follow" | "keep",
): Promise<Located> {
  const ahead = segmentsOf(path);
  let located: Located = { path: "/", stat: null };
  let links = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    const next = posix.join(located.path, name);
    const stat = await statOrNull(files, next);
    if (stat?.kind === "link" && (ahead.length > 0 || leaf === "follow")) {
      if (++links > MAX_LINKS || !files.followsLinks) throw systemError("ELOOP", path);
      const target = await files.readlink(next);
      ahead.unshift(...segmentsOf(target));
      if (target.startsWith("/")) located = { path: "/", stat: null };
      continue;
    }
    if (ahead.length > 0) expectFolder(stat, path);
    located = { path: next, stat };
  }
  return located.path === "/" ? { path: "/", stat: await files.lstat("/") } : located;
}

/** A path's own stat; null when nothing is there, not even a folder to hold it. */
export async function statOrNull(
  files: Pick<PatchFiles, "lstat">,
  path: string,
): Promise<FileStat | null> {
  try {
    return await files.lstat(path);
  } catch (error) {
    if (MISSING.has(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** For removing what may be gone already. */
export function ignoreMissing(error: unknown): undefined {
  if (!MISSING.has(systemCode(error) ?? "")) throw error;
}

export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: '${path}'`), { code });
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function expectFolder(stat: FileStat | null, path: string): void {
  if (!stat) throw systemError("ENOENT", path);
  if (stat.kind !== "folder") throw systemError("ENOTDIR", path);
}

import { posix } from "node:path";
import { PatchApplyError } from "../failure.ts";

/**
 * The absolute path that a path in a patch means. It is normalised as text, before any file system
 * is asked. Tabs and carriage returns are dropped, as URLs drop them; all else is literal.
 * @throws {PatchApplyError} the path holds a NUL
 */
export function resolvePath(cwd: string, written: string): string {
  if (written.includes("\0")) {
    throw new PatchApplyError(`'${written}' is invalid on 'linux'`, written, {
      rule: "patch-path",
    });
  }
  const path = posix.resolve(cwd, written);
  return /[\t\r]/.test(written) ? withoutDots(path.replace(/[\t\r]/g, "")) : path;
}

/** Dropping characters can make new `.` and `..`; an emptied segment stays, but says nothing. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/").slice(1)) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

import { posix } from "node:path";

/**
 * Where a command runs: a relative `workdir` is joined to `base` and normalised, an absolute one is
 * kept as it is, and an empty one is `base`. A tilde or a variable is an ordinary name.
 */
export function joinWorkdir(base: string, workdir: string | null | undefined): string {
  if (workdir === null || workdir === undefined || workdir === "") return base;
  return posix.isAbsolute(workdir) ? workdir : posix.resolve(base, workdir);
}

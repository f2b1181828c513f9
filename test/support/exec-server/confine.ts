import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EffectivePolicy } from "../../../src/contract/policy.ts";
import type { ProcessStart } from "../../../src/exec-server/ports.ts";

/**
 * The start inside a bubblewrap sandbox of its policy: enough to see real denials, not what an
 * environment must do. Protected names are guarded only where they exist.
 */
export function confined(start: ProcessStart): ProcessStart {
  const argv = ["/usr/bin/bwrap", ...argumentsFor(start.policy), "--chdir", start.cwd, "--"];
  return { ...start, argv: [...argv, ...start.argv], arg0: null };
}

export function argumentsFor({ files, network }: EffectivePolicy): string[] {
  const wide = files.write === "all";
  const roots = files.write === "all" ? [] : files.write.filter((root) => existsSync(root));
  const binds = roots
    .toSorted((a, b) => a.length - b.length)
    .flatMap((root) => {
      const names = files.protected_names.map((name) => join(root, name)).filter(existsSync);
      return ["--bind", root, root, ...names.flatMap((path) => ["--ro-bind", path, path])];
    });
  return [
    "--die-with-parent",
    wide ? "--bind" : "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    ...binds,
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    ...(network === "off" ? ["--unshare-net"] : []),
    "--proc",
    "/proc",
    "--cap-drop",
    "ALL",
  ];
}

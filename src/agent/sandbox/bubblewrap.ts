import type { MountStep } from "./mount-plan.ts";

/** Everything of a sandbox but its file tree. */
export interface Isolation {
  readonly network: "off" | "on";
  readonly uid: number;
  readonly gid: number;
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Ends all that is inside when the command itself ends, or the agent does. */
  readonly endsWithCommand: boolean;
  /** Name of the machine as the command sees it; null keeps the container's. */
  readonly hostname: string | null;
}

/**
 * The arguments of `bwrap` for one sandbox: own user, pid, ipc and mount namespaces, no capability, no
 * further user namespaces, and no network unless the policy says so. Variables are arguments too, so
 * that one like `LD_PRELOAD` reaches the command and never the launcher.
 * @see bwrap(1), version 0.8 or later for `--disable-userns`
 */
export function bubblewrapArguments(
  plan: readonly MountStep[],
  isolation: Isolation,
): readonly string[] {
  return [
    "--new-session",
    ...(isolation.endsWithCommand ? ["--die-with-parent"] : []),
    ...plan.flatMap(mountArguments),
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-cgroup-try",
    ...(isolation.network === "off" ? ["--unshare-net"] : []),
    ...(isolation.hostname === null ? [] : ["--unshare-uts", "--hostname", isolation.hostname]),
    ...["--uid", String(isolation.uid), "--gid", String(isolation.gid)],
    ...["--cap-drop", "ALL"],
    ...["--chdir", isolation.cwd],
    "--clearenv",
    ...Object.entries(isolation.variables).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

function mountArguments(step: MountStep): string[] {
  switch (step.kind) {
    case "read-only":
      return ["--ro-bind", step.source, step.target];
    case "writable":
      return ["--bind", step.source, step.target];
    case "link":
      return ["--symlink", step.to, step.target];
    case "empty":
      return ["--tmpfs", step.target];
    case "seal":
      return ["--remount-ro", step.target];
    case "devices":
      return ["--dev", step.target];
    case "processes":
      return processesArguments(step.target);
  }
}

/**
 * Settings of the kernel are read-only even where the sandbox's owner might write them. The sandbox's
 * init is covered: its program is a file of the host's, and a link in `/proc` leads there, past all
 * mounts.
 */
function processesArguments(target: string): string[] {
  const init = `${target}/1`;
  return [
    ...["--proc", target],
    ...["--ro-bind", "/proc/sys", `${target}/sys`],
    ...["--tmpfs", init, "--remount-ro", init],
  ];
}

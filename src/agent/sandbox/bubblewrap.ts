import type { Place } from "./guards.ts";
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
  /** The seccomp program, in a descriptor that stands at its start. */
  readonly filter: number;
}

/** What one launcher is told, and the descriptors of ours that it speaks of. */
export interface LauncherOptions {
  readonly options: readonly string[];
  /** The launcher finds them from `FIRST_PASSED_FD` on. */
  readonly passed: readonly number[];
}

/** Of the launcher: those below are the streams and its own. */
export const FIRST_PASSED_FD = 6;

/**
 * The options of `bwrap` for one sandbox: own user, pid, ipc and mount namespaces, no capability, no
 * further user namespaces, and no network unless the policy says so. Variables are options too, so
 * that one like `LD_PRELOAD` reaches the command and never the launcher.
 * @see bwrap(1), version 0.10 or later for `--bind-fd`, which distributions also have in older ones
 */
export function bubblewrapArguments(
  plan: readonly MountStep[],
  isolation: Isolation,
): LauncherOptions {
  const passed: number[] = [];
  const pass = (descriptor: number) => String(FIRST_PASSED_FD + passed.push(descriptor) - 1);
  const options = [
    "--new-session",
    ...(isolation.endsWithCommand ? ["--die-with-parent"] : []),
    ...plan.flatMap((step) => mountOptions(step, pass)),
    "--unshare-user",
    "--disable-userns",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-cgroup-try",
    ...(isolation.network === "off" ? ["--unshare-net"] : []),
    ...(isolation.hostname === null ? [] : ["--unshare-uts", "--hostname", isolation.hostname]),
    ...["--uid", String(isolation.uid), "--gid", String(isolation.gid)],
    ...["--cap-drop", "ALL"],
    ...["--seccomp", pass(isolation.filter)],
    ...["--chdir", isolation.cwd],
    "--clearenv",
    ...Object.entries(isolation.variables).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
  return { options, passed };
}

function mountOptions(step: MountStep, pass: (descriptor: number) => string): string[] {
  switch (step.kind) {
    case "read-only":
      return ["--ro-bind", step.source, step.target];
    case "writable":
      return ["--bind", step.source, step.target];
    case "held":
      return heldOptions(step.place, pass);
    case "link":
      return ["--symlink", step.to, step.target];
    case "empty":
      return ["--tmpfs", step.target];
    case "seal":
      return ["--remount-ro", step.target];
    case "devices":
      return ["--dev", step.target];
    case "processes":
      return processesOptions(step.target);
  }
}

/** The launcher compares what it has mounted with the descriptor, so that no rename gets between. */
function heldOptions(
  { path, descriptor, writable }: Place,
  pass: (descriptor: number) => string,
): string[] {
  return [writable ? "--bind-fd" : "--ro-bind-fd", pass(descriptor), path];
}

/**
 * Settings of the kernel are read-only even where the sandbox's owner might write them. The sandbox's
 * init is covered: its program is a file of the host's, and a link in `/proc` leads there, past all
 * mounts.
 */
function processesOptions(target: string): string[] {
  const init = `${target}/1`;
  return [
    ...["--proc", target],
    ...["--ro-bind", "/proc/sys", `${target}/sys`],
    ...["--tmpfs", init, "--remount-ro", init],
  ];
}

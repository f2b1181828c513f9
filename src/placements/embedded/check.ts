import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { release } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Check } from "../../core/placement.ts";
import { locatePrograms } from "../toolbox/locate.ts";
import { closedTo } from "./refusals.ts";

const execute = promisify(execFile);

/** First bubblewrap that can forbid further user namespaces. */
const MIN_BUBBLEWRAP = [0, 8] as const;

/** Looks at what the embedded placement needs of this host. */
export async function checkHost(stateFolder: string): Promise<Check[]> {
  const bubblewrap = await checkBubblewrap();
  return [
    kernel(),
    bubblewrap,
    ...(bubblewrap.ok ? [await checkSandbox()] : []),
    await reachable(stateFolder),
    cgroups(),
  ];
}

function kernel(): Check {
  return { name: "kernel", ok: process.platform === "linux", found: release(), fix: null };
}

async function checkBubblewrap(): Promise<Check> {
  const name = "bubblewrap";
  try {
    const { bwrap } = await locatePrograms();
    const { stdout } = await execute(bwrap, ["--version"], { env: {} });
    const [major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number) ?? [];
    const ok = major > MIN_BUBBLEWRAP[0] || minor >= MIN_BUBBLEWRAP[1];
    const found = `${bwrap}, ${stdout.trim()}`;
    return { name, ok, found, fix: ok ? null : "Install bubblewrap 0.8 or later." };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { name, ok: false, found, fix: "Install the packages bubblewrap and util-linux." };
  }
}

async function checkSandbox(): Promise<Check> {
  const name = "user namespaces";
  const { bwrap } = await locatePrograms();
  const probe = [
    ...["--ro-bind", "/", "/", "--proc", "/proc"],
    ...["--unshare-all", "--unshare-user", "--disable-userns"],
  ];
  try {
    await execute(bwrap, [...probe, "--", bwrap, "--version"], { env: {} });
    return { name, ok: true, found: "a sandbox with every namespace starts", fix: null };
  } catch (error) {
    return { name, ok: false, found: saidBy(error), fix: userNamespaceFix() };
  }
}

function saidBy(error: unknown): string {
  const { stderr } = error as { stderr?: string };
  return stderr?.trim() || String(error);
}

function userNamespaceFix(): string {
  const restricted = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
  if (existsSync(restricted) && readFileSync(restricted, "utf8").trim() === "1") {
    return "AppArmor restricts user namespaces: load a profile for bwrap, or set kernel.apparmor_restrict_unprivileged_userns=0.";
  }
  return "Set user.max_user_namespaces above 0 and, where it exists, kernel.unprivileged_userns_clone to 1.";
}

/** The folder, or where it would be made. */
async function reachable(stateFolder: string): Promise<Check> {
  const name = "state folder";
  let folder = stateFolder;
  while (!existsSync(folder)) folder = dirname(folder);
  const found = folder === stateFolder ? stateFolder : `${stateFolder}, not made yet`;
  const writable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const closed = process.getuid?.() === 0 ? closedTo(folder) : null;
  const missing = writable ? closed && `${closed} enterable for others` : `${folder} writable`;
  const fix = missing && `Make ${missing}, or choose another folder with --state.`;
  return { name, ok: fix === null, found, fix };
}

function cgroups(): Check {
  const unified = existsSync("/sys/fs/cgroup/cgroup.controllers");
  const root = process.getuid?.() === 0;
  return {
    name: "control groups",
    ok: true,
    found: `version ${unified ? 2 : 1}${root ? "" : "; as an ordinary user limits are refused"}`,
    fix: null,
  };
}

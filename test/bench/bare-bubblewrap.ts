import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { Bounds } from "../../src/agent/sandbox/bounds.ts";
import { bubblewrapArguments } from "../../src/agent/sandbox/bubblewrap.ts";
import { guardRoots } from "../../src/agent/sandbox/guards.ts";
import { mountPlan } from "../../src/agent/sandbox/mount-plan.ts";
import { SeccompFilters } from "../../src/agent/sandbox/seccomp/filters.ts";
import { StandIns } from "../../src/agent/sandbox/stand-ins.ts";
import { EnvironmentView } from "../../src/agent/view.ts";
import type { AgentConfig } from "../../src/contract/agent.ts";

const FILTER_FD = 3;
const standIns = new StandIns();

/**
 * Runs a program as the agent of an embedded environment would, without agent and service; if so
 * wanted, without the filter of system calls as well, to see what that costs.
 */
export async function bareBubblewrap(
  configFile: string,
  argv: readonly string[],
  { filtered }: { readonly filtered: boolean },
): Promise<() => Promise<void>> {
  const { uid, gid } = await stat(configFile);
  const config: AgentConfig = JSON.parse(await readFile(configFile, "utf8"));
  const options = sandboxOptions(config);
  const [bwrap = "", ...prefix] = config.programs.bwrap;
  const filters = new SeccompFilters(tmpdir());
  return async () => {
    const filter = filters.open(config.policy.network === "off" ? "off" : "host");
    const seccomp = filtered ? ["--seccomp", String(FILTER_FD)] : [];
    const args = [...prefix, ...options, ...seccomp, "--", ...argv];
    const stdio = ["ignore" as const, "pipe" as const, "pipe" as const, filter];
    const child = spawn(bwrap, args, { uid, gid, env: {}, stdio });
    closeSync(filter);
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`bwrap ended with ${code}`);
  };
}

function sandboxOptions(config: AgentConfig): readonly string[] {
  const { write, protected_names } = config.policy.files;
  const view = new EnvironmentView(config.layout);
  const bounds = new Bounds(config.policy.files, view);
  const writable =
    write === "all" ? write : guardRoots({ write, protected_names }, bounds, view, standIns).places;
  return bubblewrapArguments(mountPlan(config, writable, { kind: "command" }), {
    network: config.policy.network,
    uid: config.uid,
    gid: config.gid,
    cwd: config.workspace,
    variables: config.variables,
    endsWithCommand: true,
    hostname: config.environment_id,
  });
}

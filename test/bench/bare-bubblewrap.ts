import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { bubblewrapArguments, type LauncherOptions } from "../../src/agent/sandbox/bubblewrap.ts";
import { Descriptors } from "../../src/agent/sandbox/descriptors.ts";
import { guardRoots } from "../../src/agent/sandbox/guards.ts";
import { mountPlan } from "../../src/agent/sandbox/mount-plan.ts";
import { SeccompFilters } from "../../src/agent/sandbox/seccomp/filters.ts";
import { StandIns } from "../../src/agent/sandbox/stand-ins.ts";
import { EnvironmentView } from "../../src/agent/view.ts";
import type { AgentConfig } from "../../src/contract/agent.ts";

/** Runs a program as the agent of an embedded environment would, without agent and service. */
export async function bareBubblewrap(
  configFile: string,
  argv: readonly string[],
): Promise<() => Promise<void>> {
  const { uid, gid } = await stat(configFile);
  const config: AgentConfig = JSON.parse(await readFile(configFile, "utf8"));
  const optionsOf = sandboxOptions(config);
  const filters = new SeccompFilters(tmpdir());
  const [bwrap = "", ...prefix] = config.programs.bwrap;
  return async () => {
    const filter = filters.open(config.policy.network === "off" ? "off" : "host");
    const { options, passed } = optionsOf(filter);
    const child = spawn(bwrap, [...prefix, ...options, "--", ...argv], {
      ...{ uid, gid, env: {} },
      stdio: ["ignore", "pipe", "pipe", "ignore", "ignore", "ignore", ...passed],
    });
    closeSync(filter);
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`bwrap ended with ${code}`);
  };
}

function sandboxOptions(config: AgentConfig): (filter: number) => LauncherOptions {
  const { write, protected_names } = config.policy.files;
  const view = new EnvironmentView(config.layout);
  const means = { view, standIns: new StandIns(), opened: new Descriptors() };
  const writable = write === "all" ? write : guardRoots(write, protected_names, means).places;
  const plan = mountPlan(config, writable, "command");
  return (filter) =>
    bubblewrapArguments(plan, {
      network: config.policy.network,
      uid: config.uid,
      gid: config.gid,
      cwd: config.workspace,
      variables: config.variables,
      endsWithCommand: true,
      hostname: config.environment_id,
      filter,
    });
}

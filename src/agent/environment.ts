import { join } from "node:path";
import type { AgentConfig, Layout } from "../contract/agent.ts";
import { COMMAND_BIN_FOLDER } from "../contract/constants.ts";
import { ProcessTable } from "./processes/process-table.ts";
import { Sandbox } from "./sandbox/sandbox.ts";
import { sweepStandIn } from "./sandbox/stand-ins.ts";
import { checkSandbox } from "./self-check.ts";
import { EnvironmentView } from "./view.ts";

/** What every way to talk to an environment is made of. */
export interface EnvironmentParts {
  readonly view: EnvironmentView;
  readonly sandbox: Sandbox;
  readonly table: ProcessTable;
}

/** @throws `enforcement-missing` when commands cannot be sandboxed here */
export async function openEnvironment(config: AgentConfig): Promise<EnvironmentParts> {
  const view = new EnvironmentView(withPrograms(config));
  const sandbox = new Sandbox(config, view);
  await checkSandbox(sandbox);
  sweepStandIns(config, view);
  return { view, sandbox, table: new ProcessTable(config, view, sandbox) };
}

/** The layout with the programs for commands, which every sandbox mounts by itself. */
function withPrograms({ layout, bin }: AgentConfig): Layout {
  if (bin === null) return layout;
  const programs = { source: bin, target: COMMAND_BIN_FOLDER, writable: false };
  return { ...layout, mounts: [...layout.mounts, programs] };
}

function sweepStandIns({ policy }: AgentConfig, view: EnvironmentView): void {
  if (policy.files.write === "all") return;
  for (const root of policy.files.write) {
    const source = view.locate(root);
    if (source === null) continue;
    for (const name of policy.files.protected_names) sweepStandIn(join(source, name));
  }
}

import type { PolicyRequest } from "../../contract/policy.ts";
import { placesOf } from "../../core/spec.ts";
import { resolveRequest } from "../../policy/index.ts";
import { readPresets } from "../../presets.ts";
import type { Machine } from "./agent-config.ts";

/** How commands on this machine find the service is none of their business. */
const OWN = /^OUTWORK_/;

/** This machine as the folder and the variables that we were started with show it. */
export async function machineHere(
  request: PolicyRequest,
  own: NodeJS.ProcessEnv,
): Promise<Machine> {
  const entries = Object.entries(own).flatMap(([name, value]): [string, string][] =>
    value === undefined || OWN.test(name) ? [] : [[name, value]],
  );
  const variables = Object.fromEntries(entries);
  const workspace = process.cwd();
  const policy = resolveRequest(request, await readPresets(), placesOf({ workspace, variables }));
  return { policy, workspace, variables };
}

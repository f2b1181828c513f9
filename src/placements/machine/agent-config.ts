import type { AgentConfig, Layout } from "../../contract/agent.ts";
import type { Variables } from "../../contract/ids.ts";
import type { EffectivePolicy } from "../../contract/policy.ts";
import { isWithin } from "../../policy/index.ts";
import { BUNDLE, ptyBinding } from "../toolbox/collect.ts";
import { locatePrograms } from "../toolbox/locate.ts";
import type { MachineFolders } from "./folders.ts";

/** Where services leave their sockets: a read-only mount would not stop a connect. */
const RUN = "/run";
const TMP = "/tmp";

/** What one machine is asked to be. */
export interface Machine {
  readonly policy: EffectivePolicy;
  /** An existing folder, by its real path. */
  readonly workspace: string;
  readonly variables: Variables;
}

/**
 * What an agent is told that works on this very machine: on its own file tree, with its own programs.
 * @throws `enforcement-missing` a program that every command needs is not installed
 */
export async function machineConfig(
  machine: Machine,
  folders: MachineFolders,
): Promise<AgentConfig> {
  const { policy, workspace, variables } = machine;
  const { bwrap, setsid } = await locatePrograms();
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  return {
    environment_id: "machine",
    owner: "stdio",
    // Nothing listens there: the client's streams are all there is.
    socket: folders.socket,
    policy,
    layout: { kind: "container", mounts: mountsOf(machine, folders) },
    workspace,
    home: variables.HOME ?? "/",
    uid,
    gid,
    user: variables.USER ?? String(uid),
    variables,
    programs: {
      bwrap: [bwrap],
      setsid: [setsid],
      helper: [process.execPath, BUNDLE, "helper"],
    },
    bin: null,
    toolbox: null,
    groups: [],
    pty: ptyBinding(),
  };
}

/**
 * Under a policy that limits writing, commands get a `/tmp` of their own and an empty `/run`: who may
 * talk to the desktop's bus, to a terminal multiplexer or to a container engine is out of any sandbox.
 */
function mountsOf(
  { policy, workspace }: Machine,
  { tmp, empty }: MachineFolders,
): Layout["mounts"] {
  const { write } = policy.files;
  if (write === "all") return [];
  const kept = new Set([workspace, ...write].filter((path) => isBelowTmp(path)));
  return [
    { source: empty, target: RUN, writable: false },
    { source: tmp, target: TMP, writable: true },
    ...[...kept].map((path) => ({ source: path, target: path, writable: true })),
  ];
}

/** Whether a folder has to be shown again on top of the `/tmp` that hides it. */
export function isBelowTmp(path: string): boolean {
  return path !== TMP && isWithin(path, TMP);
}

import type { AgentConfig } from "../../contract/agent.ts";
import { COMMAND_BIN_FOLDER } from "../../contract/constants.ts";
import type { EnvironmentSpec } from "../../contract/environment.ts";
import { AGENT_FILE, PTY_FILE, TOOLBOX_FOLDER } from "../toolbox/collect.ts";
import { programAt } from "../toolbox/install.ts";
import type { Toolbox } from "../toolbox/toolbox.ts";
import { BIN_FOLDER } from "../toolbox/wrapper.ts";
import type { EnvironmentFolders } from "./folders.ts";
import { resolverMount, systemFolders } from "./host-folders.ts";

const HOME = "/home/outwork";
const USER = "outwork";
/** Whom commands see themselves as, whoever they are on the host. */
const INNER_ID = 1000;
const PATH = `${COMMAND_BIN_FOLDER}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;

/** A toolbox on this host's disk. */
export interface InstalledToolbox {
  readonly toolbox: Toolbox;
  readonly folder: string;
}

/** What the agent of an embedded environment is told. */
export function agentConfigOf(
  spec: EnvironmentSpec,
  owner: string,
  folders: EnvironmentFolders,
  installed: InstalledToolbox,
  groups: readonly string[],
): AgentConfig {
  const { toolbox, folder } = installed;
  return {
    environment_id: spec.id,
    owner,
    socket: folders.socket,
    policy: spec.policy,
    layout: {
      kind: "host",
      folders: systemFolders(),
      mounts: [
        { source: folders.workspace, target: spec.workspace, writable: true },
        { source: folders.home, target: HOME, writable: true },
        { source: folders.tmp, target: "/tmp", writable: true },
        ...resolverMount(),
      ],
    },
    workspace: spec.workspace,
    home: HOME,
    uid: INNER_ID,
    gid: INNER_ID,
    user: USER,
    variables: { PATH, HOME, USER, LOGNAME: USER, SHELL: "/bin/bash", ...spec.variables },
    programs: {
      bwrap: programAt(folder, toolbox.programs.bwrap),
      setsid: toolbox.programs.setsid,
      helper: [...toolbox.programs.node, `${TOOLBOX_FOLDER}/${AGENT_FILE}`, "helper"],
    },
    bin: `${folder}/${BIN_FOLDER}`,
    toolbox: { source: folder, target: TOOLBOX_FOLDER },
    groups: [...groups],
    pty: `${folder}/${PTY_FILE}`,
  };
}

/** The command line of that agent, on this host. */
export function agentArgv({ toolbox, folder }: InstalledToolbox, configPath: string): string[] {
  return [
    ...programAt(folder, toolbox.programs.node),
    `${folder}/${AGENT_FILE}`,
    "serve",
    configPath,
  ];
}

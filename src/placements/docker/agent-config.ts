import type { AgentConfig } from "../../contract/agent.ts";
import { COMMAND_BIN_FOLDER } from "../../contract/constants.ts";
import type { Variables } from "../../contract/ids.ts";
import { PTY_FILE, TOOLBOX_FOLDER } from "../toolbox/collect.ts";
import { BIN_FOLDER } from "../toolbox/wrapper.ts";
import { agentProgram, type Plan, RUN_FOLDER } from "./container.ts";

export const HOME = "/home/outwork";
export const SOCKET = `${RUN_FOLDER}/agent.sock`;
const USER = "outwork";
/** What a container without `PATH` gets from engines. */
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What the agent in this container is told. */
export function agentConfig(plan: Plan): AgentConfig {
  const { identity, owner, ids, toolbox } = plan;
  const { spec } = identity;
  return {
    environment_id: spec.id,
    owner,
    socket: SOCKET,
    policy: spec.policy,
    layout: { kind: "container", mounts: [] },
    workspace: spec.workspace,
    home: HOME,
    uid: ids.uid,
    gid: ids.gid,
    user: USER,
    variables: baseVariables(plan.image.variables, spec.variables),
    programs: {
      bwrap: toolbox.programs.bwrap,
      setsid: toolbox.programs.setsid,
      helper: [...agentProgram(toolbox), "helper"],
    },
    bin: `${TOOLBOX_FOLDER}/${BIN_FOLDER}`,
    toolbox: { source: TOOLBOX_FOLDER, target: TOOLBOX_FOLDER },
    groups: [],
    pty: `${TOOLBOX_FOLDER}/${PTY_FILE}`,
  };
}

/** Ours are the user's; the image's say how its programs are found; the environment's own win. */
function baseVariables(image: Variables, own: Variables): Variables {
  const PATH = `${COMMAND_BIN_FOLDER}:${image.PATH || DEFAULT_PATH}`;
  return { ...image, PATH, HOME, USER, LOGNAME: USER, ...own };
}

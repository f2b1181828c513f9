import { AGENT_FOLDER } from "../../contract/constants.ts";
import { AGENT_FILE, TOOLBOX_FOLDER } from "../toolbox/collect.ts";
import type { Toolbox } from "../toolbox/toolbox.ts";
import type { Ids } from "./doors.ts";
import type { ContainerOptions } from "./engine.ts";
import type { Image } from "./images.ts";
import { type Identity, labelsOf } from "./labels.ts";
import { type Walls, walledHost } from "./profile.ts";

/** The agent is told what it is through its stdin: no file of it stays anywhere. */
const CONFIG_FILE = "/dev/stdin";
/** Where the agent's socket is, on either side of a mount. */
export const RUN_FOLDER = `${AGENT_FOLDER}/run`;

/** What the agent printed last, for a start that failed. Bounded on disk. */
const LOG = { Type: "json-file", Config: { "max-size": "64k", "max-file": "1" } };
const CPU_UNITS = 1_000_000_000;

/** Everything that decides what one container is. */
export interface Plan {
  readonly containerName: string;
  readonly identity: Identity;
  readonly owner: string;
  readonly image: Image;
  readonly ids: Ids;
  readonly walls: Walls;
  readonly toolbox: Toolbox;
  readonly toolboxVolume: string;
  /** Folder of the engine's host for the agent's socket; null: it stays inside. */
  readonly socketFolder: string | null;
}

/** Told apart from other services' on one engine by the owner's first letters. */
export function containerName(environmentId: string, owner: string): string {
  return `outwork-${environmentId}-${owner.replace(/[^A-Za-z0-9]/g, "").slice(0, 8)}`;
}

/** What the engine is asked to create. The name goes beside it. */
export function containerOptions(plan: Plan): ContainerOptions {
  const { identity, owner, image, ids } = plan;
  return {
    name: plan.containerName,
    Image: image.name,
    Labels: labelsOf(owner, identity),
    Hostname: identity.spec.id,
    User: `${ids.uid}:${ids.gid}`,
    // Engines make a missing working folder; bubblewrap starts from this one before it is furnished.
    WorkingDir: "/tmp",
    Env: withoutImageVariables(image.variables),
    Entrypoint: [...agentProgram(plan.toolbox), "serve", CONFIG_FILE],
    Cmd: [],
    AttachStdin: true,
    OpenStdin: true,
    StdinOnce: true,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      ...walledHost(plan.walls),
      ...limits(plan),
      Init: true,
      NetworkMode: identity.spec.policy.network === "off" ? "none" : "bridge",
      LogConfig: LOG,
      Mounts: mounts(plan),
      ...(plan.socketFolder === null && { Tmpfs: { [RUN_FOLDER]: ownFolder(ids) } }),
    },
  };
}

/**
 * One thread for V8's own work, of which an agent has little: four threads in all instead of seven. A
 * small young generation: what two hundred commands leave behind is 17 MB instead of 22. Neither
 * changes what an idle agent takes, 10 MB.
 */
const LEAN = ["--v8-pool-size=1", "--max-semi-space-size=2"];
/** Otherwise Node reads the image's, which may name libraries to load. */
const NO_OPENSSL_CONFIG = "--openssl-config=/dev/null";

/** argv of the agent; a verb follows. */
export function agentProgram({ programs }: Toolbox): string[] {
  return [...programs.node, ...LEAN, NO_OPENSSL_CONFIG, `${TOOLBOX_FOLDER}/${AGENT_FILE}`];
}

/**
 * The image's variables are for commands. The agent must not see them: `LD_PRELOAD` or `NODE_OPTIONS`
 * would make it run the image's code. An engine merges them in unless they are named, so they are
 * named and left empty.
 */
function withoutImageVariables(variables: Readonly<Record<string, string>>): string[] {
  return Object.keys(variables).map((name) => `${name}=`);
}

function limits({ identity }: Plan): Partial<NonNullable<ContainerOptions["HostConfig"]>> {
  const { memory_bytes, pids, cpus } = identity.spec.limits;
  return {
    // As much memory and swap together as memory alone: no swap.
    ...(memory_bytes !== undefined && { Memory: memory_bytes, MemorySwap: memory_bytes }),
    ...(pids !== undefined && { PidsLimit: pids }),
    ...(cpus !== undefined && { NanoCpus: Math.round(cpus * CPU_UNITS) }),
  };
}

/** A folder in memory for a socket that stays inside. */
function ownFolder({ uid, gid }: Ids): string {
  return `uid=${uid},gid=${gid},mode=0700,size=1m,noexec,nosuid,nodev`;
}

function mounts({ toolboxVolume, socketFolder }: Plan) {
  return [
    {
      Type: "volume" as const,
      Source: toolboxVolume,
      Target: TOOLBOX_FOLDER,
      ReadOnly: true,
      VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } },
    },
    ...(socketFolder === null
      ? []
      : [{ Type: "bind" as const, Source: socketFolder, Target: RUN_FOLDER }]),
  ];
}

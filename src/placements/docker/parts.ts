import type { Logger } from "pino";
import type { EngineAddress } from "./address.ts";
import { Doors, type Ids } from "./doors.ts";
import { Engine } from "./engine.ts";
import { Errands } from "./errands.ts";
import { Groundwork } from "./groundwork.ts";
import { Losses } from "./losses.ts";
import { SandboxProbe } from "./probe.ts";
import { ToolboxVolume } from "./toolbox-volume.ts";

/** Agent and commands in every container, unless the service itself is an ordinary user. */
const ORDINARY_IDS: Ids = { uid: 1000, gid: 1000 };

export interface DockerOptions {
  /** Folder that only the service's user can write. */
  readonly stateFolder: string;
  /** Owner of the environments. */
  readonly instanceId: string;
  readonly docker: EngineAddress & {
    /** AppArmor profile of containers where the engine has AppArmor. Omitted: `unconfined`. */
    readonly apparmor?: string;
  };
  readonly log: Logger;
}

/** What the placement's verbs share. */
export interface Parts {
  readonly owner: string;
  readonly log: Logger;
  readonly engine: Engine;
  readonly ids: Ids;
  readonly doors: Doors;
  readonly errands: Errands;
  readonly volume: ToolboxVolume;
  readonly groundwork: Groundwork;
  readonly losses: Losses;
  readonly probe: SandboxProbe;
  /** Names of the containers that are being made or in somebody's hands; known before they exist. */
  readonly inUse: Set<string>;
}

export function makeParts({ stateFolder, instanceId: owner, docker, log }: DockerOptions): Parts {
  const { apparmor: appArmor = "unconfined", ...address } = docker;
  const engine = new Engine(address);
  const ids = userIds();
  const doors = new Doors(stateFolder, ids);
  const inUse = new Set<string>();
  const errands = new Errands(engine, owner, inUse);
  const volume = new ToolboxVolume(engine, owner, errands);
  const groundwork = new Groundwork({ engine, errands, doors, volume, appArmor });
  const losses = new Losses(engine, owner, log);
  const probe = new SandboxProbe({ engine, errands, groundwork, volume, ids });
  return { owner, log, engine, ids, doors, errands, volume, groundwork, losses, probe, inUse };
}

/** Agents make their sockets for their own user alone, so an ordinary service must be that user. */
function userIds(): Ids {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  return uid === 0 ? ORDINARY_IDS : { uid, gid };
}

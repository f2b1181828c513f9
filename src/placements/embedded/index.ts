import { once } from "node:events";
import { chown, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { EnvironmentSpec } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import type { Check, Placed, Placement } from "../../core/placement.ts";
import { collectToolbox } from "../toolbox/collect.ts";
import { installToolbox } from "../toolbox/install.ts";
import { agentArgv, agentConfigOf, type InstalledToolbox } from "./agent-config.ts";
import { type AgentRecord, agentReady, isAlive, spawnAgent } from "./agent-handle.ts";
import { Cgroup } from "./cgroup.ts";
import { checkHost } from "./check.ts";
import { claimFolder } from "./claim.ts";
import { type EnvironmentFolders, environmentsFolder, foldersOf } from "./folders.ts";
import { startTicks } from "./host-processes.ts";
import { killProcesses } from "./kill-processes.ts";
import { EmbeddedEnvironment } from "./placed.ts";
import { leftBehind } from "./recover.ts";
import { refuseForeignRoots, refuseUnfitStateFolder } from "./refusals.ts";
import { removeTree } from "./remove-tree.ts";
import { type EnvironmentUser, UserPool } from "./users.ts";

export interface EmbeddedOptions {
  /** Folder that only the service's user can write. */
  readonly stateFolder: string;
  /** Owner of the environments. */
  readonly instanceId: string;
  readonly log: Logger;
}

/**
 * Environments on this very host: no daemon, no container. As root each gets a user of its own; as an
 * ordinary user all run as that user, apart by namespaces.
 * @throws `enforcement-missing` a program that every environment needs is not installed
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Placement> {
  const { stateFolder } = options;
  await mkdir(environmentsFolder(stateFolder), { recursive: true, mode: 0o711 });
  refuseUnfitStateFolder(stateFolder);
  await mkdir(join(stateFolder, "run"), { recursive: true, mode: 0o711 });
  const toolbox = await collectToolbox();
  const folder = await installToolbox(toolbox, join(stateFolder, "toolbox"));
  return new Embedded(options, { toolbox, folder });
}

class Embedded implements Placement {
  readonly kind = "embedded";
  readonly #options: EmbeddedOptions;
  readonly #toolbox: InstalledToolbox;
  readonly #users = new UserPool();

  constructor(options: EmbeddedOptions, toolbox: InstalledToolbox) {
    this.#options = options;
    this.#toolbox = toolbox;
  }

  async launch(spec: EnvironmentSpec, { signal }: WaitOptions): Promise<Placed> {
    signal.throwIfAborted();
    refuseForeignRoots(spec);
    const { stateFolder, instanceId } = this.#options;
    const folders = foldersOf(stateFolder, spec.id);
    const user = this.#users.take();
    await claimFolder(folders, instanceId, user).catch((error) => {
      this.#users.free(user);
      throw error;
    });
    const cgroup = this.#cgroupOf(spec);
    try {
      cgroup?.create(spec.limits, user);
      await makeFolders(folders, user);
      await writeFile(folders.spec, JSON.stringify(spec), { mode: 0o600 });
      const record = await this.#startAgent(spec, folders, user, cgroup, signal);
      return this.#placed(spec, record, folders, cgroup);
    } catch (error) {
      await this.#undo(user, folders, cgroup);
      throw error;
    }
  }

  async *recover(_: WaitOptions): AsyncGenerator<Placed> {
    const { stateFolder, instanceId, log } = this.#options;
    for (const left of leftBehind(stateFolder, instanceId)) {
      if (left.kind === "environment") {
        const { spec, record, folders } = left;
        this.#users.claim(record);
        log.info({ environmentId: spec.id, alive: isAlive(record) }, "environment found again");
        yield this.#placed(spec, record, folders, this.#cgroupOf(spec));
      } else if (left.kind === "half-built") {
        await this.#undo(left.claim, left.folders, this.#cgroupNamed(left.id));
        log.info({ environmentId: left.id }, "half-built environment cleared away");
      } else {
        log.error(
          { environmentId: left.id, err: left.error },
          "environment not readable, left alone",
        );
      }
    }
  }

  async check(_: WaitOptions): Promise<readonly Check[]> {
    return checkHost(this.#options.stateFolder);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #placed(
    spec: EnvironmentSpec,
    record: AgentRecord,
    folders: EnvironmentFolders,
    cgroup: Cgroup | null,
  ): Placed {
    const onRemoved = () => this.#users.free(record);
    return new EmbeddedEnvironment(spec, record, folders, cgroup, onRemoved);
  }

  async #startAgent(
    spec: EnvironmentSpec,
    folders: EnvironmentFolders,
    user: EnvironmentUser,
    cgroup: Cgroup | null,
    signal: AbortSignal,
  ): Promise<AgentRecord> {
    const { instanceId } = this.#options;
    const groups = cgroup?.commandGroups ?? [];
    const config = agentConfigOf(spec, instanceId, folders, this.#toolbox, groups);
    await writeFile(folders.agentConfig, JSON.stringify(config), { mode: 0o600 });
    await chown(folders.agentConfig, user.uid, user.gid);
    const child = spawnAgent(agentArgv(this.#toolbox, folders.agentConfig), folders.agentLog, user);
    try {
      if (child.pid !== undefined) cgroup?.addAgent(child.pid);
      await agentReady(child, signal);
      return await writeRecord(folders, child.pid ?? 0, user);
    } catch (error) {
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
      throw error;
    }
  }

  async #undo(
    user: EnvironmentUser,
    folders: EnvironmentFolders,
    cgroup: Cgroup | null,
  ): Promise<void> {
    await killProcesses(user, folders);
    await cgroup?.remove();
    await rm(folders.run, { recursive: true, force: true });
    await removeTree(folders.root);
    this.#users.free(user);
  }

  /** Environments without limits need no control group. */
  #cgroupOf({ id, limits }: EnvironmentSpec): Cgroup | null {
    return Object.keys(limits).length === 0 ? null : this.#cgroupNamed(id);
  }

  #cgroupNamed(id: string): Cgroup {
    return new Cgroup(`${this.#options.instanceId}-${id}`);
  }
}

/** The environment's own folders; nobody but its user gets in. */
async function makeFolders(folders: EnvironmentFolders, user: EnvironmentUser): Promise<void> {
  const { root, workspace, home, tmp, run } = folders;
  await rm(run, { recursive: true, force: true });
  for (const folder of [run, workspace, home, tmp]) await mkdir(folder, { mode: 0o700 });
  for (const folder of [root, run, workspace, home, tmp]) {
    await chown(folder, user.uid, user.gid);
  }
}

/** Complete or not there, since it is what makes an environment recoverable. */
async function writeRecord(
  folders: EnvironmentFolders,
  pid: number,
  user: EnvironmentUser,
): Promise<AgentRecord> {
  const record = {
    pid,
    start_ticks: startTicks(pid) ?? "",
    ...user,
    created_at: new Date().toISOString(),
  };
  await writeFile(`${folders.record}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${folders.record}.new`, folders.record);
  return record;
}

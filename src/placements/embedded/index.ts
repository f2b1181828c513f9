import { once } from "node:events";
import { chown, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { EnvironmentSpec } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import type { Check, Placed, Placement } from "../../core/placement.ts";
import { OutworkError, systemCode } from "../../errors.ts";
import { isWithin } from "../../policy/index.ts";
import { collectToolbox } from "../toolbox/collect.ts";
import { installToolbox } from "../toolbox/install.ts";
import { agentArgv, agentConfigOf, type InstalledToolbox } from "./agent-config.ts";
import { type AgentRecord, agentReady, isAlive, spawnAgent } from "./agent-handle.ts";
import { Cgroup } from "./cgroup.ts";
import { checkHost } from "./check.ts";
import { type EnvironmentFolders, environmentsFolder, foldersOf, socketsFit } from "./folders.ts";
import { startTicks } from "./host-processes.ts";
import { EmbeddedEnvironment } from "./placed.ts";
import { type Left, leftEnvironments } from "./recover.ts";
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
  if (!socketsFit(stateFolder)) throw stateFolderTooLong(stateFolder);
  await mkdir(environmentsFolder(stateFolder), { recursive: true, mode: 0o711 });
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
    const folders = foldersOf(this.#options.stateFolder, spec.id);
    await claimFolder(folders);
    const user = this.#users.take();
    const cgroup = this.#cgroupOf(spec);
    try {
      cgroup?.create(spec.limits, user);
      await makeFolders(folders, user);
      await writeFile(folders.spec, JSON.stringify(spec), { mode: 0o600 });
      const record = await this.#startAgent(spec, folders, user, cgroup, signal);
      return this.#placed(spec, record, folders, cgroup);
    } catch (error) {
      await cgroup?.remove();
      await clear(folders);
      this.#users.free(user);
      throw error;
    }
  }

  async *recover(_: WaitOptions): AsyncGenerator<Placed> {
    const { stateFolder, instanceId, log } = this.#options;
    for (const { spec, record, folders } of await leftEnvironments(stateFolder, instanceId)) {
      this.#users.claim(record);
      log.info({ environmentId: spec.id, alive: isAlive(record) }, "environment found again");
      yield this.#placed(spec, record, folders, this.#cgroupOf(spec));
    }
  }

  async check(_: WaitOptions): Promise<readonly Check[]> {
    return checkHost(this.#options.stateFolder);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #placed(
    spec: Left["spec"],
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

  /** Environments without limits need no control group. */
  #cgroupOf({ id, limits }: EnvironmentSpec): Cgroup | null {
    const name = `${this.#options.instanceId}-${id}`;
    return Object.keys(limits).length === 0 ? null : new Cgroup(name);
  }
}

/** Whoever makes the folder has the environment: nothing that exists is ever taken over. */
async function claimFolder({ root }: EnvironmentFolders): Promise<void> {
  try {
    await mkdir(root, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    throw new OutworkError(
      "environment-conflict",
      `${root} exists already, and is not an environment of this service. Remove it, or choose another id.`,
      { cause: error },
    );
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

async function clear(folders: EnvironmentFolders): Promise<void> {
  await rm(folders.run, { recursive: true, force: true });
  await removeTree(folders.root);
}

/** Elsewhere a writable root would be the host's own files. */
function refuseForeignRoots({ policy, workspace, placement }: EnvironmentSpec): void {
  if (policy.files.write === "all") return;
  const own = [workspace, "/tmp", "/home/outwork"];
  const foreign = policy.files.write.find((root) => !own.some((mine) => isWithin(root, mine)));
  if (foreign === undefined) return;
  throw new OutworkError(
    "enforcement-missing",
    `policy.writable_roots: ${foreign} is a folder of the host on the ${placement} placement. Writable ` +
      `roots there lie within ${own.join(", ")}.`,
    { facts: { missing: "own-file-system", path: foreign } },
  );
}

function stateFolderTooLong(stateFolder: string): OutworkError {
  return new OutworkError(
    "validation-failed",
    `The state folder ${stateFolder} has too long a path: sockets below it would pass 107 bytes.`,
  );
}

import { setTimeout as sleep } from "node:timers/promises";
import type { WaitOptions } from "../../core/agent-link.ts";
import { TOOLBOX_FOLDER } from "../toolbox/collect.ts";
import type { Toolbox } from "../toolbox/toolbox.ts";
import { CONFLICT, type Engine } from "./engine.ts";
import { EngineRefusal } from "./engine-call.ts";
import { type Errands, undoing } from "./errands.ts";
import { LABEL } from "./labels.ts";
import { type TarEntry, tarOf } from "./tar.ts";

/** Written last: a volume without it was not filled to the end. */
const COMPLETE = "complete";
/** Another service that fills the volume has this long before it counts as crashed. */
const FILLING_TIMEOUT_MS = 300_000;
const RETRY_MS = 250;

/**
 * The toolbox in the engine: a volume named by its content, filled once and mounted read-only by all.
 * It is filled through a container that never starts, so that a distant engine is no different.
 */
export class ToolboxVolume {
  readonly #engine: Engine;
  readonly #owner: string;
  readonly #errands: Errands;
  /** When the volume that we know to be whole was made: a volume made since is another one. */
  #wholeSince: string | null = null;

  constructor(engine: Engine, owner: string, errands: Errands) {
    this.#engine = engine;
    this.#owner = owner;
    this.#errands = errands;
  }

  /** Makes sure that the volume is there and whole. @returns its name */
  async ready(toolbox: Toolbox, wait: WaitOptions): Promise<string> {
    const name = `outwork-toolbox-${toolbox.hash}`;
    const volume = await this.#engine.inspectVolume(name, wait);
    const madeAt = volume === null ? null : createdAt(volume);
    if (madeAt !== null && madeAt === this.#wholeSince) return name;
    await this.#fill(name, toolbox, wait);
    const filled = await this.#engine.inspectVolume(name, wait);
    this.#wholeSince = filled === null ? null : createdAt(filled);
    await this.#removeOutdated(name, wait);
    return name;
  }

  /** Toolboxes of our own earlier versions; those that environments still use stay. */
  async #removeOutdated(current: string, wait: WaitOptions): Promise<void> {
    const ours = [`${LABEL.owner}=${this.#owner}`, LABEL.toolbox];
    const names = await this.#engine.listVolumes(ours, wait);
    const outdated = names.filter((name) => name !== current);
    await Promise.all(outdated.map((name) => this.#engine.removeVolume(name, wait)));
  }

  /** The loader's name is the lock: an engine has one container of a name. */
  async #fill(name: string, toolbox: Toolbox, wait: WaitOptions): Promise<void> {
    const labels = { [LABEL.owner]: this.#owner, [LABEL.toolbox]: toolbox.hash };
    await this.#engine.createVolume(name, labels, wait);
    const loader = `${name}-loader`;
    const Mounts = [{ Type: "volume" as const, Source: name, Target: TOOLBOX_FOLDER }];
    const errand = { name: loader, what: "toolbox", options: { HostConfig: { Mounts } } };
    for (;;) {
      try {
        return await this.#errands.run(errand, wait, (id) => this.#load(id, toolbox, wait));
      } catch (error) {
        if (!(error instanceof EngineRefusal) || error.status !== CONFLICT) throw error;
        await this.#waitForOther(loader, wait);
      }
    }
  }

  async #load(loader: string, toolbox: Toolbox, wait: WaitOptions): Promise<void> {
    const complete = `${TOOLBOX_FOLDER}/${COMPLETE}`;
    if ((await this.#engine.statPath(loader, complete, wait)) !== null) return;
    await this.#engine.putFiles(loader, TOOLBOX_FOLDER, tarOf(entriesOf(toolbox)), wait);
  }

  /** Another loader has the name: a crashed one is removed, a working one is waited for. */
  async #waitForOther(loader: string, { signal }: WaitOptions): Promise<void> {
    const other = await this.#engine.inspectContainer(loader, { signal });
    if (other === null) return;
    const isOurs = other.Config.Labels[LABEL.owner] === this.#owner;
    const ageMs = Date.now() - new Date(other.Created).getTime();
    if ((isOurs && !this.#errands.isRunning(loader)) || ageMs > FILLING_TIMEOUT_MS) {
      await this.#engine.removeContainer(other.Id, undoing());
    } else await sleep(RETRY_MS, undefined, { signal });
  }
}

function createdAt(volume: object): string {
  return (volume as { CreatedAt?: string }).CreatedAt ?? "";
}

function entriesOf({ files, hash }: Toolbox): TarEntry[] {
  const ours = { uid: 0, gid: 0 };
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  return [
    ...[...folders].sort().map((path) => ({ path: `${path}/`, mode: 0o755, ...ours })),
    ...files.map((file) => ({ ...file, ...ours })),
    { path: COMPLETE, mode: 0o444, ...ours, content: { bytes: Buffer.from(hash) } },
  ];
}

function parentsOf(path: string): string[] {
  const segments = path.split("/").slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}

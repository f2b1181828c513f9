import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentSpec, LossReason } from "../../contract/environment.ts";
import type { AgentLink } from "../../core/agent-link.ts";
import type { Placed } from "../../core/placement.ts";
import { connectAgentSocket } from "../agent-socket.ts";
import { StreamLink } from "../link.ts";
import { type AgentRecord, isAlive } from "./agent-handle.ts";
import type { Cgroup } from "./cgroup.ts";
import type { EnvironmentFolders } from "./folders.ts";
import { killProcesses } from "./kill-processes.ts";
import { removeTree } from "./remove-tree.ts";

/** How often a running agent is looked at. */
const WATCH_MS = 500;
/** How long an agent may take to end its commands before it is killed. */
const SHUTDOWN_MS = 3_000;
/** Between two looks at whether it has. */
const SHUTDOWN_STEP_MS = 10;

/** One environment on this host. */
export class EmbeddedEnvironment implements Placed {
  readonly spec: EnvironmentSpec;
  readonly createdAt: Date;
  readonly agent: AgentLink;
  readonly lost: Promise<LossReason>;
  readonly #record: AgentRecord;
  readonly #folders: EnvironmentFolders;
  readonly #cgroup: Cgroup | null;
  readonly #onRemoved: () => void;
  readonly #watch: NodeJS.Timeout;
  #removal: Promise<void> | null = null;

  constructor(
    spec: EnvironmentSpec,
    record: AgentRecord,
    folders: EnvironmentFolders,
    cgroup: Cgroup | null,
    onRemoved: () => void,
  ) {
    this.spec = spec;
    this.createdAt = new Date(record.created_at);
    this.#record = record;
    this.#folders = folders;
    this.#cgroup = cgroup;
    this.#onRemoved = onRemoved;
    this.agent = new StreamLink(({ signal }) => connectAgentSocket(folders.socket, signal));
    let settle: (reason: LossReason) => void = () => {};
    this.lost = new Promise((resolve) => {
      settle = resolve;
    });
    this.#watch = setInterval(() => {
      if (!this.#removal && !isAlive(record)) settle("agent-died");
    }, WATCH_MS).unref();
    if (!isAlive(record)) settle("agent-died");
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#removal ??= this.#remove();
    return this.#removal;
  }

  async #remove(): Promise<void> {
    clearInterval(this.#watch);
    await this.#shutDown();
    await this.agent[Symbol.asyncDispose]();
    await killProcesses(this.#record, this.#folders);
    await this.#cgroup?.remove();
    await rm(this.#folders.run, { recursive: true, force: true });
    await removeTree(this.#folders.root);
    this.#onRemoved();
  }

  async #shutDown(): Promise<void> {
    const signal = AbortSignal.timeout(SHUTDOWN_MS);
    try {
      if (isAlive(this.#record)) await this.agent.call("outwork/shutdown", {}, { signal });
      while (isAlive(this.#record) && !signal.aborted) await sleep(SHUTDOWN_STEP_MS);
    } catch {
      // It did not answer: it is killed below.
    }
  }
}

import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentSpec, LossReason } from "../../contract/environment.ts";
import type { AgentLink } from "../../core/agent-link.ts";
import type { Placed } from "../../core/placement.ts";
import { StreamLink } from "../link.ts";
import { type AgentRecord, isAlive } from "./agent-handle.ts";
import type { Cgroup } from "./cgroup.ts";
import type { EnvironmentFolders } from "./folders.ts";
import { processesOf, processesWith } from "./host-processes.ts";
import { removeTree } from "./remove-tree.ts";
import { isOwnUser } from "./users.ts";

/** How often a running agent is looked at. */
const WATCH_MS = 500;
/** How long an agent may take to end its commands before it is killed. */
const SHUTDOWN_MS = 3_000;
/** Between two looks for processes that are being killed. */
const KILL_STEP_MS = 10;

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
    this.agent = new StreamLink(({ signal }) => openSocket(folders.socket, signal));
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
    await this.#killRest();
    await this.#cgroup?.remove();
    await rm(this.#folders.run, { recursive: true, force: true });
    await removeTree(this.#folders.root);
    this.#onRemoved();
  }

  async #shutDown(): Promise<void> {
    const signal = AbortSignal.timeout(SHUTDOWN_MS);
    try {
      if (isAlive(this.#record)) await this.agent.call("outwork/shutdown", {}, { signal });
      while (isAlive(this.#record) && !signal.aborted) await sleep(KILL_STEP_MS);
    } catch {
      // It did not answer: it is killed below.
    }
  }

  /** The agent itself, and what its commands left: by their user, or by the files that they see. */
  async #killRest(): Promise<void> {
    const left = () => [
      ...(isAlive(this.#record) ? [this.#record.pid] : []),
      ...(isOwnUser(this.#record)
        ? processesOf(this.#record.uid)
        : processesWith(this.#folders.root)),
    ];
    for (let pids = left(); pids.length > 0; pids = left()) {
      for (const pid of pids) killQuietly(pid);
      await sleep(KILL_STEP_MS);
    }
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function openSocket(path: string, signal: AbortSignal) {
  const socket = connect(path);
  await once(socket, "connect", { signal });
  return socket;
}

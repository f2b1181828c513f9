import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { z } from "zod";
import type { LossReason } from "../../contract/environment.ts";
import { asError } from "../../errors.ts";
import type { ContainerDetails, Engine } from "./engine.ts";
import { jsonLines } from "./json-lines.ts";
import { ownerLabel } from "./labels.ts";

/** What ends a container, and what foretells it. */
const EVENTS = ["die", "oom", "destroy"];
/** An out-of-memory event this shortly before the end is its reason. */
const OOM_TO_DEATH_MS = 5_000;
const FIRST_RETRY_MS = 200;
const MAX_RETRY_MS = 10_000;
const ENDED_STATES = ["exited", "dead", "removing"];
const SIGKILL_EXIT_CODE = 137;
/** The agent's own clean end, and SIGKILL and SIGTERM from outside. */
const STOPPED_EXIT_CODES = [0, SIGKILL_EXIT_CODE, 143];

const ContainerEvent = z.object({ Action: z.string(), Actor: z.object({ ID: z.string() }) });
type ContainerEvent = z.infer<typeof ContainerEvent>;

interface Followed {
  readonly settle: (reason: LossReason) => void;
  oomAt: number;
}

/** One container being followed. */
export interface Following {
  /** Settles when the container ends; never after `stop`. */
  readonly lost: Promise<LossReason>;
  stop(): void;
}

/**
 * Notices the end of our containers from the engine's events: one stream for all of them, opened again
 * when the engine was away, and everything looked at anew each time, since events may have been missed.
 */
export class Losses {
  readonly #engine: Engine;
  readonly #owner: string;
  readonly #log: Logger;
  readonly #followed = new Map<string, Followed>();
  readonly #closing = new AbortController();
  #watching: Promise<void> | null = null;

  constructor(engine: Engine, owner: string, log: Logger) {
    this.#engine = engine;
    this.#owner = owner;
    this.#log = log;
  }

  follow(containerId: string): Following {
    this.#watching ??= this.#watch();
    const lost = new Promise<LossReason>((settle) => {
      this.#followed.set(containerId, { settle, oomAt: 0 });
    });
    return { lost, stop: () => this.#followed.delete(containerId) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        const events = await this.#engine.watchContainers(ownerLabel(this.#owner), EVENTS, {
          signal,
        });
        retryMs = FIRST_RETRY_MS;
        await this.#follow(events);
      } catch (error) {
        if (signal.aborted) return;
        const level = retryMs === FIRST_RETRY_MS ? "warn" : "debug";
        this.#log[level]({ err: asError(error) }, "the container engine's events broke off");
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  }

  /** Events are read while the state is looked at, so that nothing falls in between. */
  async #follow(events: Readable): Promise<void> {
    const close = () => events.destroy();
    this.#closing.signal.addEventListener("abort", close, { once: true });
    try {
      await Promise.all([this.#lookAtAll(), this.#readEvents(events)]);
    } finally {
      this.#closing.signal.removeEventListener("abort", close);
      close();
    }
  }

  async #readEvents(events: Readable): Promise<void> {
    for await (const line of jsonLines(events)) {
      const { success, data } = ContainerEvent.safeParse(line);
      if (success) await this.#take(data);
    }
  }

  async #take({ Action, Actor }: ContainerEvent): Promise<void> {
    const followed = this.#followed.get(Actor.ID);
    if (followed === undefined) return;
    if (Action === "oom") followed.oomAt = Date.now();
    else if (Action === "destroy") this.#settle(Actor.ID, "container-removed");
    else await this.#lookAt(Actor.ID);
  }

  /** A container that began to be followed after the list was asked for may not be in it. */
  async #lookAtAll(): Promise<void> {
    const wait = { signal: this.#closing.signal };
    const ids = [...this.#followed.keys()];
    const listed = await this.#engine.listContainers([ownerLabel(this.#owner)], wait);
    const alive = listed.filter(({ State }) => !ENDED_STATES.includes(State));
    const living = new Set(alive.map(({ Id }) => Id));
    await Promise.all(ids.filter((id) => !living.has(id)).map((id) => this.#lookAt(id)));
  }

  async #lookAt(id: string): Promise<void> {
    const details = await this.#engine.inspectContainer(id, { signal: this.#closing.signal });
    const oomAgoMs = Date.now() - (this.#followed.get(id)?.oomAt ?? 0);
    const reason = lossOf(details, oomAgoMs < OOM_TO_DEATH_MS);
    if (reason !== null) this.#settle(id, reason);
  }

  #settle(id: string, reason: LossReason): void {
    this.#followed.get(id)?.settle(reason);
    this.#followed.delete(id);
  }
}

/** @returns null: it has not ended */
export function lossOf(details: ContainerDetails | null, sawOom: boolean): LossReason | null {
  if (details === null || details.State.Status === "removing") return "container-removed";
  const { Status, OOMKilled, ExitCode } = details.State;
  if (!ENDED_STATES.includes(Status)) return null;
  if (OOMKilled || (sawOom && ExitCode === SIGKILL_EXIT_CODE)) return "out-of-memory";
  return STOPPED_EXIT_CODES.includes(ExitCode) ? "container-stopped" : "agent-died";
}

import timers from "node:timers/promises";
import type { PlacementKind } from "../contract/index.ts";
import { asError } from "../errors.ts";
import type { Log } from "./log.ts";
import type { Placed, Placement } from "./placement.ts";

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** A placement that does not answer holds up the service's start for no longer than this. */
const HOLD_UP_MS = 15_000;

interface RecoveryOptions {
  readonly placements: readonly Placement[];
  readonly adopt: (placed: Placed) => void;
  readonly log: Log;
}

/** Takes back what an earlier run left, from all placements at once, each until it has answered. */
export class Recovery {
  readonly #pending: Set<PlacementKind>;
  readonly #stop = new AbortController();
  readonly #options: RecoveryOptions;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#pending = new Set(options.placements.map(({ kind }) => kind));
  }

  /** Placements whose environments are not known yet. */
  get pending(): ReadonlySet<PlacementKind> {
    return this.#pending;
  }

  /** Resolves when every placement has answered or failed once; goes on trying those that failed. */
  async start(): Promise<void> {
    const attempts = this.#options.placements.map((placement) => {
      const first = this.#attempt(placement);
      return { first, all: first.then((done) => (done ? undefined : this.#retry(placement))) };
    });
    this.#work = Promise.all(attempts.map(({ all }) => all));
    const asked = Promise.all(attempts.map(({ first }) => first));
    const timer = new AbortController();
    const heldUp = timers
      .setTimeout(HOLD_UP_MS, undefined, { signal: timer.signal })
      .catch(() => {});
    await Promise.race([asked, heldUp]);
    timer.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #retry(placement: Placement): Promise<void> {
    const { signal } = this.#stop;
    for (
      let waitMs = FIRST_RETRY_MS;
      !signal.aborted;
      waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)
    ) {
      await timers.setTimeout(waitMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted && (await this.#attempt(placement))) return;
    }
  }

  async #attempt(placement: Placement): Promise<boolean> {
    const { adopt, log } = this.#options;
    try {
      for await (const placed of placement.recover({ signal: this.#stop.signal })) adopt(placed);
      this.#pending.delete(placement.kind);
      return true;
    } catch (error) {
      log.error({ err: asError(error), placement: placement.kind }, "placement not recovered");
      return false;
    }
  }
}

import type {
  CreateEnvironment,
  Environment,
  EnvironmentId,
  EnvironmentSpec,
  PlacementKind,
} from "../contract/index.ts";
import { OutworkError } from "../errors.ts";
import { refuseAboveCeiling } from "../policy/index.ts";
import type { WaitOptions } from "./agent-link.ts";
import { EnvironmentEntry } from "./entry.ts";
import { type Ending, environmentGone } from "./gone.ts";
import type { Log } from "./log.ts";
import type { Placed, Placement } from "./placement.ts";
import { Recovery } from "./recovery.ts";
import { ceilingOf, refuseOtherSpec, resolveSpec, type SpecRules } from "./spec.ts";
import { Tombstones } from "./tombstones.ts";
import { waitFor } from "./wait-for.ts";

interface EnvironmentsOptions {
  readonly placements: readonly Placement[];
  readonly rules: SpecRules;
  readonly log: Log & { child(bindings: object): Log };
}

/**
 * Every environment of this service, on whichever placement. The placements are the store of truth;
 * this registry is made anew from them at each start. Disposing it leaves the environments running.
 */
export class Environments implements AsyncDisposable {
  readonly #entries = new Map<EnvironmentId, EnvironmentEntry>();
  readonly #tombstones = new Tombstones();
  readonly #placements: ReadonlyMap<PlacementKind, Placement>;
  readonly #rules: SpecRules;
  readonly #log: EnvironmentsOptions["log"];
  readonly #recovery: Recovery;

  constructor({ placements, rules, log }: EnvironmentsOptions) {
    this.#placements = new Map(placements.map((placement) => [placement.kind, placement]));
    this.#rules = rules;
    this.#log = log;
    this.#recovery = new Recovery({ placements, adopt: (placed) => this.#adopt(placed), log });
  }

  /** Placements that have not said yet which environments they hold. */
  get unrecovered(): ReadonlySet<PlacementKind> {
    return this.#recovery.pending;
  }

  /** Takes back what an earlier run left. */
  async recover(): Promise<void> {
    await this.#recovery.start();
  }

  /**
   * The environment of this id, launched if there is none yet. However many ask at once, it is
   * launched once; if all of them leave before it is ready, the launch is undone.
   * @throws `environment-conflict` the id has another spec
   * @throws `environment-gone` it was lost and is not removed yet
   */
  async create(
    request: CreateEnvironment,
    options: WaitOptions,
  ): Promise<{ entry: EnvironmentEntry; created: boolean }> {
    const spec = resolveSpec(request, this.#rules);
    for (;;) {
      const present = this.#entries.get(spec.id);
      if (present === undefined) return { entry: await this.#launch(spec, options), created: true };
      if (present.state.kind === "stopping") {
        await waitFor(present.remove(present.state.reason), options.signal);
      } else {
        refuseOtherSpec(present.spec, spec);
        if (present.ending) throw environmentGone(spec.id, present.ending);
        await present.started(options);
        return { entry: present, created: false };
      }
    }
  }

  /**
   * @throws `environment-gone` it was removed or has expired
   * @throws `environment-not-found` there was none, as far as this run of the service knows
   * @throws `placement-unavailable` it may be on a placement that is away
   */
  get(id: EnvironmentId): EnvironmentEntry {
    const entry = this.#entries.get(id);
    if (entry) return entry;
    const ending = this.#tombstones.get(id);
    if (ending) throw environmentGone(id, ending);
    throw this.#unknown(id);
  }

  /** All of them, oldest first. */
  async list(options: WaitOptions): Promise<Environment[]> {
    const entries = [...this.#entries.values()].sort((a, b) => +a.createdAt - +b.createdAt);
    return Promise.all(entries.map((entry) => entry.describe(options)));
  }

  /**
   * Ends an environment and leaves nothing of it. One that has already ended is no error.
   * @throws `environment-not-found` and `placement-unavailable` as in `get`
   */
  async remove(id: EnvironmentId): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) return entry.remove("removed");
    if (!this.#tombstones.get(id)) throw this.#unknown(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recovery.stop();
    await Promise.allSettled([...this.#entries.values()].map((entry) => entry.release()));
  }

  async #launch(spec: EnvironmentSpec, options: WaitOptions): Promise<EnvironmentEntry> {
    const placement = this.#placementFor(spec);
    const entry = this.#enter(spec, new Date(), (signal) => placement.launch(spec, { signal }));
    await entry.started(options);
    return entry;
  }

  #placementFor({ placement: kind }: EnvironmentSpec): Placement {
    const placement = this.#placements.get(kind);
    if (placement === undefined || this.unrecovered.has(kind)) throw notRecovered([kind]);
    return placement;
  }

  #enter(
    spec: EnvironmentSpec,
    createdAt: Date,
    launch: (signal: AbortSignal) => Promise<Placed>,
  ): EnvironmentEntry {
    const log = this.#log.child({ environmentId: spec.id });
    const forget = this.#forget.bind(this);
    const { presets } = this.#rules;
    const entry = new EnvironmentEntry({ spec, createdAt, launch, forget, presets, log });
    this.#entries.set(spec.id, entry);
    this.#tombstones.delete(spec.id);
    return entry;
  }

  #forget(entry: EnvironmentEntry, ending: Ending | null): void {
    this.#entries.delete(entry.spec.id);
    if (ending) this.#tombstones.set(entry.spec.id, ending);
  }

  /** An id that is known already stays what it is; the other one is left alone for the operator. */
  #adopt(placed: Placed): void {
    const { spec, createdAt } = placed;
    const present = this.#entries.get(spec.id);
    if (present) {
      this.#leaveAlone(placed, present);
      return;
    }
    const entry = this.#enter(spec, createdAt, async () => placed);
    this.#log.info({ environmentId: spec.id }, "environment recovered");
    this.#barAboveCeiling(entry);
  }

  #leaveAlone({ spec, agent }: Placed, present: EnvironmentEntry): void {
    void Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => {});
    if (present.spec.placement === spec.placement) return;
    const facts = { environmentId: spec.id, kept: present.spec.placement, left: spec.placement };
    this.#log.error(facts, "two environments with one id");
  }

  #barAboveCeiling(entry: EnvironmentEntry): void {
    try {
      const { policy, placement } = entry.spec;
      refuseAboveCeiling(policy, ceilingOf(placement, this.#rules));
    } catch (error) {
      if (!(error instanceof OutworkError)) throw error;
      entry.bar(error);
      this.#log.warn({ environmentId: entry.spec.id }, "environment is above the ceiling");
    }
  }

  #unknown(id: EnvironmentId): OutworkError {
    if (this.unrecovered.size > 0) return notRecovered([...this.unrecovered]);
    return new OutworkError("environment-not-found", `There is no environment ${id}.`, {
      facts: { environment_id: id },
    });
  }
}

function notRecovered(kinds: readonly PlacementKind[]): OutworkError {
  return new OutworkError(
    "placement-unavailable",
    `${kinds.join(", ")} has not yet said which environments it holds.`,
    { facts: { placements: kinds } },
  );
}

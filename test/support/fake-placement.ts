import type {
  EnvironmentId,
  EnvironmentSpec,
  LossReason,
  PlacementKind,
} from "../../src/contract/index.ts";
import type { WaitOptions } from "../../src/core/agent-link.ts";
import type { Check, Placed, Placement } from "../../src/core/placement.ts";
import { FakeAgent } from "./fake-agent.ts";

/** A running environment of the fake. */
export class FakePlaced implements Placed {
  readonly agent = new FakeAgent();
  readonly createdAt = new Date();
  readonly lost: Promise<LossReason>;
  readonly spec: EnvironmentSpec;
  readonly #substrate: Substrate;
  lose: (reason: LossReason) => void = () => {};

  constructor(spec: EnvironmentSpec, substrate: Substrate) {
    this.spec = spec;
    this.#substrate = substrate;
    this.lost = new Promise((resolve) => {
      this.lose = resolve;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#substrate.beforeDispose();
    this.#substrate.environments.delete(this.spec.id);
  }
}

/** What outlives a service: give it to a second placement and that one recovers from it. */
export class Substrate {
  readonly environments = new Map<EnvironmentId, FakePlaced>();
  launches = 0;
  beforeLaunch: (signal: AbortSignal) => Promise<void> = async () => {};
  beforeDispose: () => Promise<void> = async () => {};
  beforeRecover: () => Promise<void> = async () => {};
  checks: readonly Check[] = [{ name: "fake", ok: true, found: "a fake", fix: null }];

  /** The environment of this id; the test fails if there is none. */
  get(id: EnvironmentId): FakePlaced {
    const placed = this.environments.get(id);
    if (placed === undefined) throw new Error(`the fake has no environment ${id}`);
    return placed;
  }
}

/** A placement in memory. */
export class FakePlacement implements Placement {
  readonly kind: PlacementKind;
  readonly #substrate: Substrate;

  constructor(substrate: Substrate, kind: PlacementKind = "embedded") {
    this.#substrate = substrate;
    this.kind = kind;
  }

  async launch(spec: EnvironmentSpec, { signal }: WaitOptions): Promise<Placed> {
    this.#substrate.launches += 1;
    await this.#substrate.beforeLaunch(signal);
    signal.throwIfAborted();
    const placed = new FakePlaced(spec, this.#substrate);
    this.#substrate.environments.set(spec.id, placed);
    return placed;
  }

  async *recover(): AsyncGenerator<Placed> {
    await this.#substrate.beforeRecover();
    for (const placed of this.#substrate.environments.values()) {
      if (placed.spec.placement === this.kind) yield placed;
    }
  }

  async check(): Promise<readonly Check[]> {
    return this.#substrate.checks;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

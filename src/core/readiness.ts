import type { Check, PlacementKind } from "../contract/index.ts";
import type { Placement } from "./placement.ts";
import { waitFor } from "./wait-for.ts";

/** Looking costs processes and engine calls, and anyone may ask: so answers are shared for this long. */
const SHARED_MS = 5_000;
/** A placement that takes longer than this to look at itself is not ready. */
const LOOK_MS = 10_000;

const NO_ANSWER = {
  name: "answers",
  ok: false,
  found: `no answer within ${LOOK_MS / 1000} s`,
  fix: "See the service's log.",
};

interface ReadinessOptions {
  readonly placements: readonly Placement[];
  /** Placements whose environments are not known yet. */
  readonly unrecovered: () => ReadonlySet<PlacementKind>;
}

/** Whether the placements have what they need. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #shared: { readonly at: number; readonly checks: Promise<Check[]> } | null = null;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  checks(): Promise<Check[]> {
    if (this.#shared === null || Date.now() - this.#shared.at >= SHARED_MS) {
      this.#shared = { at: Date.now(), checks: this.#look() };
    }
    return this.#shared.checks;
  }

  async #look(): Promise<Check[]> {
    const looks = this.#options.placements.map((placement) => this.#lookAt(placement));
    return (await Promise.all(looks)).flat();
  }

  async #lookAt(placement: Placement): Promise<Check[]> {
    const signal = AbortSignal.timeout(LOOK_MS);
    const checks = await waitFor(placement.check({ signal }), signal).catch(() => [NO_ANSWER]);
    const all = [...checks, this.#recovered(placement)];
    return all.map((check) => ({ placement: placement.kind, ...check }));
  }

  #recovered({ kind }: Placement) {
    const away = this.#options.unrecovered().has(kind);
    return away
      ? { name: "recovered", ok: false, found: "no answer yet", fix: "See the service's log." }
      : { name: "recovered", ok: true, found: "its environments are known", fix: null };
  }
}

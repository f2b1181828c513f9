import type { EnvironmentId } from "../contract/index.ts";
import type { Ending } from "./gone.ts";

/** Endings remembered, so that a late caller learns what became of an environment. */
const KEPT = 10_000;

/** How removed environments ended. In memory and bounded; the oldest is forgotten first. */
export class Tombstones {
  readonly #endings = new Map<EnvironmentId, Ending>();

  set(id: EnvironmentId, ending: Ending): void {
    this.#endings.delete(id);
    this.#endings.set(id, ending);
    for (const oldest of this.#endings.keys()) {
      if (this.#endings.size <= KEPT) break;
      this.#endings.delete(oldest);
    }
  }

  get(id: EnvironmentId): Ending | undefined {
    return this.#endings.get(id);
  }

  delete(id: EnvironmentId): void {
    this.#endings.delete(id);
  }
}

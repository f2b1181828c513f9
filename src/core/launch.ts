import type { Placed } from "./placement.ts";
import { waitFor } from "./wait-for.ts";

/** One launch that any number of callers wait for. */
export class Launch {
  readonly #undo = new AbortController();
  readonly #placed: Promise<Placed>;
  readonly #abandoned: () => void;
  #waiters = 0;
  #settled = false;

  /** @param abandoned called when the last caller leaves before the launch has settled */
  constructor(start: (signal: AbortSignal) => Promise<Placed>, abandoned: () => void) {
    this.#abandoned = abandoned;
    this.#placed = this.#run(start);
    this.#placed.catch(() => {});
  }

  async wait(signal: AbortSignal): Promise<Placed> {
    this.#waiters += 1;
    try {
      return await waitFor(this.#placed, signal);
    } finally {
      this.#waiters -= 1;
      if (this.#waiters === 0 && !this.#settled) this.#abandoned();
    }
  }

  /** Leaves nothing behind, whether it has started, is starting or has failed. Can be repeated. */
  async undo(): Promise<void> {
    this.#undo.abort();
    const placed = await this.#placed.catch(() => null);
    await placed?.[Symbol.asyncDispose]();
  }

  async #run(start: (signal: AbortSignal) => Promise<Placed>): Promise<Placed> {
    try {
      return await start(this.#undo.signal);
    } finally {
      this.#settled = true;
    }
  }
}

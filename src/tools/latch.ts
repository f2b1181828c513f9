import type { Clock } from "./clock.ts";

/** How to wait: by which clock, and until when the waiting is called off. */
export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Something that happens once and then has happened for good. */
export class Latch {
  #isOpen = false;
  readonly #wakes = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    for (const wake of this.#wakes) wake();
  }

  /** Resolves once open or after `ms`, whichever is first. Rejects only when aborted. */
  wait(ms: number, { clock, signal }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isOpen || ms <= 0) return resolve();
      const wake = () => {
        cancel();
        this.#wakes.delete(wake);
        signal.removeEventListener("abort", wake);
        if (signal.aborted) reject(signal.reason);
        else resolve();
      };
      const cancel = clock.after(ms, wake);
      this.#wakes.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/** Resolves after `ms`. Rejects only when aborted. */
export function sleep(ms: number, waiting: Waiting): Promise<void> {
  return new Latch().wait(ms, waiting);
}

/** The longest that a timer can wait, about 24 days. */
const MAX_TIMER_MS = 2_147_483_647;

/** A signal that also aborts after a time. Disposing it stops the clock. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #parent: AbortSignal;
  readonly #onAbort = () => this.#controller.abort(this.#parent.reason);
  #expired = false;

  constructor(parent: AbortSignal, afterMs: number) {
    this.#parent = parent;
    this.#timer = setTimeout(() => this.#expire(), Math.min(afterMs, MAX_TIMER_MS)).unref();
    if (parent.aborted) this.#onAbort();
    else parent.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time is over: it was not the parent that aborted. */
  get expired(): boolean {
    return this.#expired;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#onAbort);
  }

  #expire(): void {
    this.#expired = !this.#parent.aborted;
    this.#controller.abort(new Error("time is over"));
  }
}

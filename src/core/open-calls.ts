import type { OutworkError } from "../errors.ts";

/**
 * Calls and streams in flight on one environment. All of them can be ended at once, with the same
 * error for each; from then on no new one begins.
 */
export class OpenCalls {
  /** What ends each call, and what lets go of its caller. */
  readonly #open = new Map<AbortController, () => void>();
  #ended: OutworkError | null = null;
  #quietSince = Date.now();

  /** Since when nothing is in flight, in epoch milliseconds; null while something is. */
  get quietSince(): number | null {
    return this.#open.size === 0 ? this.#quietSince : null;
  }

  /** Counts `work` as in flight until it settles. */
  async run<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const call = this.#begin(caller);
    try {
      return await work(call.signal);
    } catch (error) {
      throw this.#ended ?? error;
    } finally {
      this.#finish(call);
    }
  }

  /** Counts a stream as in flight from its opening until it is read to its end or left. */
  async follow<T>(
    caller: AbortSignal,
    open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  ): Promise<AsyncIterable<T>> {
    const call = this.#begin(caller);
    try {
      const source = await open(call.signal);
      return { [Symbol.asyncIterator]: () => this.#iterate(source, call) };
    } catch (error) {
      this.#finish(call);
      throw this.#ended ?? error;
    }
  }

  /** Ends everything in flight with `error`, which is also the answer to every later call. */
  end(error: OutworkError): void {
    this.#ended = error;
    for (const call of this.#open.keys()) call.abort(error);
  }

  /** Not `AbortSignal.any`: Node 20 keeps those that are never aborted for ever. */
  #begin(caller: AbortSignal): AbortController {
    if (this.#ended) throw this.#ended;
    const call = new AbortController();
    const leave = () => call.abort(caller.reason);
    if (caller.aborted) leave();
    caller.addEventListener("abort", leave);
    this.#open.set(call, () => caller.removeEventListener("abort", leave));
    return call;
  }

  #finish(call: AbortController): void {
    this.#open.get(call)?.();
    if (this.#open.delete(call)) this.#quietSince = Date.now();
  }

  /** Written out, since the `finally` of a generator that was never started does not run. */
  #iterate<T>(source: AsyncIterable<T>, call: AbortController): AsyncIterator<T> {
    const inner = source[Symbol.asyncIterator]();
    const next = async (): Promise<IteratorResult<T>> => {
      try {
        const result = await inner.next();
        if (result.done) this.#finish(call);
        return result;
      } catch (error) {
        this.#finish(call);
        throw this.#ended ?? error;
      }
    };
    const leave = async (): Promise<IteratorResult<T>> => {
      this.#finish(call);
      call.abort();
      await inner.return?.();
      return { done: true, value: undefined };
    };
    return { next, return: leave };
  }
}

/** What is known of a pattern after a scan: how often it occurs, and where it ends last. */
export type Occurrences = { readonly count: number; readonly lastEnd: number };

/**
 * Finds every pattern in one pass over a sequence of symbols, after Aho and Corasick. Symbols are
 * positive; 0 stands for whatever is in no pattern.
 */
export class Automaton {
  readonly #alphabet: number;
  readonly #next = new Map<number, number>();
  readonly #parents: number[] = [0];
  readonly #symbols: number[] = [0];
  readonly #depths: number[] = [0];
  readonly #ends: number[];
  /** The state of the longest shorter pattern head that is a tail of this one. */
  readonly #fallbacks: number[];
  readonly #order: number[];

  constructor(patterns: readonly (readonly number[])[], alphabet: number) {
    this.#alphabet = alphabet;
    this.#ends = patterns.map((pattern) => pattern.reduce((from, s) => this.#grow(from, s), 0));
    this.#order = [...this.#depths.keys()].sort((a, b) => this.#depth(a) - this.#depth(b));
    this.#fallbacks = new Array<number>(this.#depths.length).fill(0);
    for (const state of this.#order) this.#fallbacks[state] = this.#fallbackOf(state);
  }

  /** Occurrences of each pattern, in the order they were given. */
  scan(symbols: Iterable<number>): Occurrences[] {
    const counts = new Array<number>(this.#order.length).fill(0);
    const ends = new Array<number>(this.#order.length).fill(-1);
    let state = 0;
    let position = 0;
    for (const symbol of symbols) {
      state = symbol === 0 ? 0 : this.#step(state, symbol);
      counts[state] = (counts[state] ?? 0) + 1;
      ends[state] = position++;
    }
    this.#passOn(counts, ends);
    return this.#ends.map((end) => ({ count: counts[end] ?? 0, lastEnd: ends[end] ?? -1 }));
  }

  /** Whoever reaches a state has also found what it falls back to. */
  #passOn(counts: number[], ends: number[]): void {
    for (const state of this.#order.toReversed()) {
      const fallback = this.#fallbacks[state] ?? 0;
      counts[fallback] = (counts[fallback] ?? 0) + (counts[state] ?? 0);
      ends[fallback] = Math.max(ends[fallback] ?? -1, ends[state] ?? -1);
    }
  }

  #depth(state: number): number {
    return this.#depths[state] ?? 0;
  }

  #grow(from: number, symbol: number): number {
    const key = from * this.#alphabet + symbol;
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const state = this.#depths.push(this.#depth(from) + 1) - 1;
    this.#parents.push(from);
    this.#symbols.push(symbol);
    this.#next.set(key, state);
    return state;
  }

  #fallbackOf(state: number): number {
    if (this.#depth(state) < 2) return 0;
    const parent = this.#parents[state] ?? 0;
    return this.#step(this.#fallbacks[parent] ?? 0, this.#symbols[state] ?? 0);
  }

  #step(from: number, symbol: number): number {
    for (let state = from; ; state = this.#fallbacks[state] ?? 0) {
      const next = this.#next.get(state * this.#alphabet + symbol);
      if (next !== undefined || state === 0) return next ?? 0;
    }
  }
}

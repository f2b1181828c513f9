/** A share of a budget. Giving it back twice is harmless. */
export interface Share extends Disposable {}

/** Bounds what is in memory at once. First come, first served, so that large shares get their turn. */
export class Budget {
  readonly #capacity: number;
  readonly #waiting: { readonly size: number; readonly grant: () => void }[] = [];
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Resolves with a share of at most the whole budget. */
  async take(wanted: number): Promise<Share> {
    const size = Math.min(wanted, this.#capacity);
    if (this.#waiting.length > 0 || !this.#fits(size)) await this.#queue(size);
    else this.#used += size;
    let held = size;
    return {
      [Symbol.dispose]: () => {
        this.#give(held);
        held = 0;
      },
    };
  }

  #queue(size: number): Promise<void> {
    return new Promise((grant) => this.#waiting.push({ size, grant }));
  }

  #give(size: number): void {
    this.#used -= size;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#fits(next.size)) return;
      this.#waiting.shift();
      this.#used += next.size;
      next.grant();
    }
  }

  #fits(size: number): boolean {
    return this.#used + size <= this.#capacity;
  }
}

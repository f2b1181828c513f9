/** Remembers the latest ids, so that a repeat is known for one. */
export class RecentIds<T> {
  readonly #limit: number;
  readonly #ids = new Map<string, T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What was noted with that id; undefined when it is new or too old. */
  get(id: string): T | undefined {
    return this.#ids.get(id);
  }

  /** Notes an id; the oldest makes room. */
  add(id: string, note: T): void {
    this.#ids.set(id, note);
    if (this.#ids.size <= this.#limit) return;
    for (const oldest of this.#ids.keys()) {
      this.#ids.delete(oldest);
      return;
    }
  }
}

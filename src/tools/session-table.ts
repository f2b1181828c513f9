const MIN_ID = 1_000;
const END_ID = 100_000;
const MAX_SESSIONS = 64;
/** So many of the most recently used are never removed to make room. */
const PROTECTED_SESSIONS = 8;

interface Entry {
  readonly id: number;
  readonly hasExited: boolean;
}

/** An integer from `min` to just below `end`. */
export type RandomInt = (min: number, end: number) => number;

/** The sessions of one environment, by the number that the model knows them by. */
export class SessionTable<T extends Entry> {
  readonly #randomInt: RandomInt;
  /** The least recently used first. */
  readonly #sessions = new Map<number, T>();
  readonly #reserved = new Set<number>();

  constructor(randomInt: RandomInt) {
    this.#randomInt = randomInt;
  }

  /** Draws a free id, not one of `elsewhere`, and keeps it until it is released. */
  reserve(elsewhere: readonly number[]): number {
    const taken = new Set([...elsewhere, ...this.#reserved, ...this.#sessions.keys()]);
    let id: number;
    do id = this.#randomInt(MIN_ID, END_ID);
    while (taken.has(id));
    this.#reserved.add(id);
    return id;
  }

  /** A reservation is over; the id stays taken if a session has it. */
  release(id: number): void {
    this.#reserved.delete(id);
  }

  /** Adds a session as the one used last. Returns the session that had to make room, if any. */
  add(session: T): T | undefined {
    const pruned = this.#sessions.size < MAX_SESSIONS ? undefined : this.#leastNeeded();
    if (pruned !== undefined) this.remove(pruned);
    this.#sessions.set(session.id, session);
    return pruned;
  }

  /** Finds a session, which by that becomes the one used last. */
  use(id: number): T | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  has(session: T): boolean {
    return this.#sessions.get(session.id) === session;
  }

  remove(session: T): void {
    if (this.has(session)) this.#sessions.delete(session.id);
  }

  get(id: number): T | undefined {
    return this.#sessions.get(id);
  }

  all(): T[] {
    return [...this.#sessions.values()];
  }

  #leastNeeded(): T | undefined {
    const candidates = this.all().slice(0, -PROTECTED_SESSIONS);
    return candidates.find(({ hasExited }) => hasExited) ?? candidates[0];
  }
}

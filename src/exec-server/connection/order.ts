import { type Claim, collide } from "./claims.ts";

/** A place in the order. */
export interface Turn {
  /** Resolves when every earlier request that it must follow has left. Null: it need not wait. */
  readonly ready: Promise<unknown> | null;
  /** Lets later requests go. Leaving twice is harmless. */
  leave(): void;
}

/** Keeps requests of one connection that name the same thing in the order in which they came. */
export class Order {
  readonly #present = new Set<{
    readonly claims: readonly Claim[];
    readonly left: Promise<void>;
  }>();

  enter(claims: readonly Claim[]): Turn {
    if (claims.length === 0) return { ready: null, leave: () => {} };
    const ahead = [...this.#present].filter((other) => collide(claims, other.claims));
    let done = () => {};
    const left = new Promise<void>((resolve) => {
      done = resolve;
    });
    const place = { claims, left };
    this.#present.add(place);
    const ready = ahead.length === 0 ? null : Promise.all(ahead.map((other) => other.left));
    return { ready, leave: () => this.#leave(place, done) };
  }

  #leave(
    place: { readonly claims: readonly Claim[]; readonly left: Promise<void> },
    done: () => void,
  ) {
    this.#present.delete(place);
    done();
  }
}

import { createHash, timingSafeEqual } from "node:crypto";

/** A caller that the operator knows: its name for the log, and the hash of its token. */
export interface KnownToken {
  readonly name: string;
  /** SHA-256 of the token, in hex. */
  readonly sha256: string;
}

export function sha256(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Who may call. Holds hashes only, and takes as long for a near miss as for any other token. */
export class Tokens {
  readonly #known: readonly { readonly name: string; readonly hash: Buffer }[];

  constructor(known: readonly KnownToken[]) {
    this.#known = known.map(({ name, sha256 }) => ({ name, hash: Buffer.from(sha256, "hex") }));
  }

  /** The name behind a token, or null. */
  nameOf(token: string): string | null {
    const hash = sha256(token);
    const matching = this.#known.filter((known) => timingSafeEqual(known.hash, hash));
    return matching[0]?.name ?? null;
  }
}

import { randomInt } from "node:crypto";

/** The most ids that one call may reserve. */
const MAX_RESERVED = 4_096;

/** Where a session that the model knows by its number really is. */
export interface Session {
  readonly environmentId: string;
  readonly sessionId: number;
}

/** The range that session ids are drawn from. */
const FIRST_ID = 1_000;
const PAST_LAST_ID = 100_000;

/**
 * Which environment owns which session of a turn. Environments draw their ids without knowing of one
 * another; when two have drawn the same, the later session is shown to the model under another id.
 */
export class SessionOwners {
  readonly #shown = new Map<number, Session>();

  /** Ids that this environment must not draw. */
  takenElsewhere(environmentId: string): number[] {
    const others = [...this.#shown].filter(([, owner]) => owner.environmentId !== environmentId);
    return others.map(([shownId]) => shownId).slice(-MAX_RESERVED);
  }

  /** Remembers a live session and gives the id to show for it. */
  add(session: Session): number {
    const shownId = this.#shownIdOf(session) ?? this.#freeId(session.sessionId);
    this.#shown.set(shownId, session);
    return shownId;
  }

  find(shownId: number): Session | undefined {
    return this.#shown.get(shownId);
  }

  remove(shownId: number): void {
    this.#shown.delete(shownId);
  }

  #shownIdOf({ environmentId, sessionId }: Session): number | undefined {
    for (const [shownId, known] of this.#shown) {
      if (known.environmentId === environmentId && known.sessionId === sessionId) return shownId;
    }
    return undefined;
  }

  #freeId(wanted: number): number {
    let id = wanted;
    while (this.#shown.has(id)) id = randomInt(FIRST_ID, PAST_LAST_ID);
    return id;
  }
}

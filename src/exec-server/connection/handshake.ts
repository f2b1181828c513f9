import type { Family } from "../methods/method.ts";
import { invalidRequest } from "../rpc-error.ts";
import type { Session } from "../session/session.ts";

/** How far a connection has got: `initialize`, then `initialized`, then everything else. */
export class Handshake {
  #session: Session | null = null;
  #ready = false;

  get session(): Session | null {
    return this.#session;
  }

  checkFirst(): void {
    if (this.#session === null) return;
    throw invalidRequest("initialize may only be sent once per connection");
  }

  initialize(session: Session): void {
    this.#session = session;
  }

  /** False when it comes too early. Repeats are fine. */
  initialized(): boolean {
    this.#ready = this.#session !== null;
    return this.#ready;
  }

  /** The session, once methods of that family may be used. */
  sessionFor(family: Family): Session {
    if (this.#session !== null && this.#ready) return this.#session;
    const step = this.#session === null ? "call initialize" : "send initialized";
    throw invalidRequest(`client must ${step} before using ${family} methods`);
  }
}

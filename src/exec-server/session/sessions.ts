import { randomUUID } from "node:crypto";
import { MAX_SESSIONS } from "../limits.ts";
import { clip } from "../quote.ts";
import { invalidRequest, RPC_CODES, RpcError } from "../rpc-error.ts";
import { type Attachment, Session } from "./session.ts";

/** Every session, attached or not. A detached one ends after a while, and its processes with it. */
export class Sessions {
  readonly #detachedMs: number;
  readonly #closedProcessMs: number;
  readonly #sessions = new Map<string, Session>();
  readonly #timers = new Map<Session, NodeJS.Timeout>();

  constructor(durations: { readonly detachedMs: number; readonly closedProcessMs: number }) {
    this.#detachedMs = durations.detachedMs;
    this.#closedProcessMs = durations.closedProcessMs;
  }

  open(principal: string | null, attachment: Attachment): Session {
    this.#makeRoom();
    const session = new Session(randomUUID(), principal, this.#closedProcessMs);
    this.#sessions.set(session.id, session);
    session.attach(attachment);
    return session;
  }

  /**
   * Attaches to what is there. A known principal takes its own session over even from a connection
   * that has not noticed yet that it is dead; nobody else gets to know that the session exists.
   */
  resume(id: string, principal: string | null, attachment: Attachment): Session {
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== principal) {
      throw invalidRequest(`unknown session id ${clip(id)}`);
    }
    if (session.attachment !== null && principal === null) throw attachedElsewhere(id);
    clearTimeout(this.#timers.get(session));
    this.#timers.delete(session);
    session.attach(attachment);
    return session;
  }

  detach(session: Session, attachment: Attachment): void {
    if (!session.detach(attachment)) return;
    const timer = setTimeout(() => this.#end(session), this.#detachedMs).unref();
    this.#timers.set(session, timer);
  }

  /** Ends every session and its processes. */
  dispose(): void {
    for (const session of this.#sessions.values()) this.#end(session);
  }

  #end(session: Session): void {
    clearTimeout(this.#timers.get(session));
    this.#timers.delete(session);
    this.#sessions.delete(session.id);
    session.processes.dispose();
  }

  /** Sessions that nobody would miss go first; timers are in the order of detachment. */
  #makeRoom(): void {
    if (this.#sessions.size < MAX_SESSIONS) return;
    const idle = [...this.#timers.keys()].find((session) => session.processes.isEmpty);
    if (idle === undefined) throw invalidRequest(`at most ${MAX_SESSIONS} sessions may exist`);
    this.#end(idle);
  }
}

function attachedElsewhere(id: string): RpcError {
  const message = `session ${clip(id)} is already attached to another connection`;
  return new RpcError(RPC_CODES.sessionAttached, message);
}

import { Connection } from "./connection/connection.ts";
import type { Executor } from "./executor.ts";
import { CLOSED_PROCESS_MS, DETACHED_SESSION_MS, MAX_CONNECTIONS } from "./limits.ts";
import { Sessions } from "./session/sessions.ts";
import { CLOSE, type Transport } from "./transport/transport.ts";

/** The exec-server protocol over one set of ports, for any number of connections. */
export class ExecServer implements Disposable {
  readonly #executor: Executor;
  readonly #sessions: Sessions;
  readonly #connections = new Map<Connection, Transport>();

  constructor(executor: Executor) {
    this.#executor = executor;
    this.#sessions = new Sessions({
      detachedMs: executor.detachedSessionMs ?? DETACHED_SESSION_MS,
      closedProcessMs: executor.closedProcessMs ?? CLOSED_PROCESS_MS,
    });
  }

  /**
   * Serves one client. The transport reports to the connection, its end included. `principal` names
   * whoever is at the other end: the same one may take over its session from a dead connection.
   * Null when there are too many connections; the transport is closed then.
   */
  connect(transport: Transport, principal: string | null): Connection | null {
    if (this.#connections.size >= MAX_CONNECTIONS) {
      transport.close(CLOSE.overloaded, `at most ${MAX_CONNECTIONS} connections are served`);
      return null;
    }
    const options = { executor: this.#executor, sessions: this.#sessions, transport, principal };
    const connection = new Connection(options);
    this.#connections.set(connection, transport);
    return connection;
  }

  /** The transport of that connection is gone. */
  disconnect(connection: Connection): void {
    this.#connections.delete(connection);
    connection.end();
  }

  /** Ends every connection, session and process. */
  [Symbol.dispose](): void {
    for (const [connection, transport] of this.#connections) {
      transport.close(CLOSE.goingAway, "the executor is going away");
      connection.end();
    }
    this.#connections.clear();
    this.#sessions.dispose();
  }
}

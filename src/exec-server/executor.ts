import type { EnvironmentFacts, Files, HttpClient, Processes } from "./ports.ts";

/** A method beside the protocol's own. It needs no handshake and answers with an object. */
export type ExtensionMethod = (
  params: unknown,
  options: { readonly signal: AbortSignal },
) => Promise<object>;

/** What serves the protocol: the ports, and what is added to it. */
export interface Executor {
  readonly facts: EnvironmentFacts;
  readonly processes: Processes;
  readonly files: Files;
  /** Null: `http/request` is refused. */
  readonly http: HttpClient | null;
  readonly extensions?: ReadonlyMap<string, ExtensionMethod>;
  /** How long a session outlives its connection, in milliseconds. Omitted: DETACHED_SESSION_MS. */
  readonly detachedSessionMs?: number;
  /** How long a closed process stays readable, in milliseconds. Omitted: CLOSED_PROCESS_MS. */
  readonly closedProcessMs?: number;
  /** Called with errors that nobody raised on purpose; the client is told `internal error`. */
  readonly onFault: (error: unknown, method: string) => void;
}

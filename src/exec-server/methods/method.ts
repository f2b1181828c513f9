import type { Claim } from "../connection/claims.ts";
import type { Decoder } from "../decode.ts";
import type { Executor } from "../executor.ts";
import type { Json } from "../json/value.ts";
import type { Session } from "../session/session.ts";
import type { FileHandles } from "./file-handles.ts";
import type { HttpStreams } from "./http-streams.ts";
import type { MissingWatch } from "./missing-watch.ts";

/** What errors before the handshake call a group of methods. */
export type Family =
  | "exec"
  | "filesystem"
  | "http"
  | "environment info"
  | "environment status"
  | "environment config";

/** What a method works with: the executor, the session, and what the connection itself owns. */
export interface CallContext {
  readonly executor: Executor;
  readonly session: Session;
  readonly handles: FileHandles;
  readonly watch: MissingWatch;
  readonly streams: HttpStreams;
  /** Sends a notification; `params` is an object, or the JSON text of one. */
  readonly notify: (method: string, params: object | string) => void;
  /** Resolves when a notification may be sent without piling up. */
  readonly room: () => Promise<void>;
  /** Aborts with the connection. */
  readonly signal: AbortSignal;
  /** Waits until an answer of about this size may be built. It counts until it is sent. */
  readonly admit: (bytes: number) => Promise<void>;
  /** From here on this call only waits: it holds up nobody. False when too many wait already. */
  readonly standAside: () => boolean;
}

export interface Reply {
  readonly result: object;
  /** Runs once the answer is on its way, before anything else can be sent. */
  readonly sent?: () => void;
}

/** A request whose parameters have been understood. */
export interface Call {
  readonly claims: readonly Claim[];
  readonly run: (context: CallContext) => Promise<Reply> | Reply;
}

export interface Method {
  readonly family: Family;
  /** @throws DecodeError */
  readonly prepare: (params: Json) => Call;
}

interface Definition<P> {
  readonly family: Family;
  readonly params: Decoder<P>;
  /** What the request names. Omitted: nothing, so it waits for nobody. */
  readonly claims?: (params: P) => readonly Claim[];
  readonly run: (params: P, context: CallContext) => Promise<Reply> | Reply;
}

export function method<P>(definition: Definition<P>): Method {
  const { family, run, claims = () => [] } = definition;
  return {
    family,
    prepare: (json) => {
      const params = definition.params(json);
      return { claims: claims(params), run: (context) => run(params, context) };
    },
  };
}

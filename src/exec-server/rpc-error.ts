import { clip } from "./quote.ts";

/** Error codes of the protocol. Clients branch on these, never on texts. */
export const RPC_CODES = {
  /** Malformed messages, breaches of the handshake, unknown or duplicate processes, refusals. */
  invalidRequest: -32600,
  methodNotFound: -32601,
  /** Parameters that do not decode or cannot be right on this host. */
  invalidParams: -32602,
  /** What the operating system refused. */
  internal: -32603,
  /** A path or file handle that does not exist, and nothing else: clients create on it. */
  notFound: -32004,
  /** The session is attached to another connection: clients try again on it. */
  sessionAttached: -32010,
} as const;

/** Why a process was not started, for clients that offer another attempt. */
export type StartFailure =
  | "spawnNotFound"
  | "spawnPermissionDenied"
  | "spawnFailed"
  | "sandboxPreparation"
  | "sandboxUnavailable";

/** The error of one answer, as it goes over the wire. */
export interface WireError {
  readonly code: number;
  readonly data?: unknown;
  readonly message: string;
}

/** Clients need not bear with longer ones. */
const MAX_MESSAGE_CHARS = 4096;

/** A request that failed on purpose: what the peer is told. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: ErrorOptions & { data?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.data = options.data;
  }

  /** `data` is left out when there is none. */
  toWire(): WireError {
    const { code, data } = this;
    const message = clip(this.message, MAX_MESSAGE_CHARS);
    return data === undefined ? { code, message } : { code, data, message };
  }

  static fromWire({ code, message, data }: WireError): RpcError {
    return new RpcError(code, message, { data });
  }
}

export function invalidRequest(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, message);
}

export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message);
}

export function internalError(
  message: string,
  options: ErrorOptions & { data?: unknown } = {},
): RpcError {
  return new RpcError(RPC_CODES.internal, message, options);
}

export function notFound(message: string): RpcError {
  return new RpcError(RPC_CODES.notFound, message);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && error.code === RPC_CODES.notFound;
}

/** A start that failed, with the kind that tells a client what stood in the way. */
export function startFailed(kind: StartFailure, message: string, options: ErrorOptions = {}) {
  const sandbox = kind === "sandboxPreparation" || kind === "sandboxUnavailable";
  const code = sandbox ? RPC_CODES.invalidParams : RPC_CODES.internal;
  return new RpcError(code, message, { ...options, data: { kind } });
}

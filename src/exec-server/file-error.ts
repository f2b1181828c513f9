import { type ErrnoName, errnoOf, errnoText } from "../errno.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** Refusals that a client may not mistake for a fault of the machine. */
const REFUSALS: readonly ErrnoName[] = ["EACCES", "EPERM", "EINVAL"];

/** A system error as the answer to a file call. Others pass through, answers above all. */
export function fileError(error: unknown): unknown {
  const name = error instanceof RpcError ? null : errnoOf(error);
  return name === null ? error : errnoError(name, error);
}

export function errnoError(name: ErrnoName, cause?: unknown): RpcError {
  return new RpcError(codeOf(name), errnoText(name), { cause });
}

function codeOf(name: ErrnoName): number {
  if (name === "ENOENT") return RPC_CODES.notFound;
  return REFUSALS.includes(name) ? RPC_CODES.invalidRequest : RPC_CODES.internal;
}

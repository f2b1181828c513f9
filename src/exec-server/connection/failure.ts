import { asError, OutworkError, toProblem } from "../../errors.ts";
import { DecodeError } from "../decode-error.ts";
import { fileError } from "../file-error.ts";
import { internalError, invalidParams, RPC_CODES, RpcError } from "../rpc-error.ts";

/** The error that a client gets; null for one that nobody raised on purpose. */
export function answerTo(thrown: unknown): RpcError | null {
  const error = fileError(asError(thrown));
  if (error instanceof RpcError) return error;
  if (error instanceof DecodeError) return invalidParams(error.message);
  return error instanceof OutworkError ? problemAnswer(error) : null;
}

/** Our own errors keep their problem, for clients that know it. */
function problemAnswer(error: OutworkError): RpcError {
  const code = error.code === "path-not-found" ? RPC_CODES.notFound : RPC_CODES.internal;
  const data = { problem: toProblem(error) };
  return new RpcError(code, error.message, { cause: error, data });
}

export const INTERNAL_ERROR = internalError("internal error");

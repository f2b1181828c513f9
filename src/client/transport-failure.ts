import { asError, OutworkError, systemCode } from "../errors.ts";

/** May a request be sent again when its answer was lost? `once`: not unless it never left. */
export type Repeat = "safe" | "once";

/** What messages say of a request, and whether it may be sent twice. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly repeat: Repeat;
}

/** Failures before any byte of the request could have reached the service. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * What a broken connection means to the caller: `service-unreachable` when sending again is
 * harmless, `outcome-unknown` when the request may have happened and must not happen twice.
 */
export function transportFailure(thrown: unknown, sent: Request): OutworkError {
  const cause = asError(thrown);
  const what = `${sent.method} ${sent.path}`;
  const effect = neverSent(cause) ? "none" : "unknown";
  const options = { cause, facts: { effect } };
  if (effect === "none" || sent.repeat === "safe") {
    return new OutworkError("service-unreachable", `${what} failed: ${reason(cause)}`, options);
  }
  const message = `${what} was sent, but the answer was lost (${reason(cause)}); it may have happened`;
  return new OutworkError("outcome-unknown", message, options);
}

/** May this very request be tried again after this failure? */
export function mayRepeat(error: unknown, repeat: Repeat): boolean {
  if (!(error instanceof OutworkError) || !error.retryable) return false;
  return repeat === "safe" || error.facts.effect === "none";
}

function neverSent(error: Error): boolean {
  if (error instanceof AggregateError) return error.errors.every((one) => neverSent(asError(one)));
  return NEVER_SENT.has(systemCode(error) ?? "");
}

function reason(error: Error): string {
  return error.message || (systemCode(error) ?? error.name);
}

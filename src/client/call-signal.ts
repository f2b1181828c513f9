import { OutworkError } from "../errors.ts";

/** What every call of the client takes. */
export interface CallOptions {
  /** Ends the wait, never the work: a process dies only by terminate, timeout or policy. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, in milliseconds, repeated tries included. */
  readonly timeoutMs?: number | undefined;
}

/** The caller's signal and the time limit as one. Undefined when there is neither. */
export function callSignal({ signal, timeoutMs }: CallOptions): AbortSignal | undefined {
  if (timeoutMs === undefined) return signal;
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

/**
 * What to throw once the merged signal has fired: the caller's own reason, or `deadline-exceeded`
 * when it was the time limit.
 */
export function endedBy({ signal, timeoutMs }: CallOptions, what: string): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new OutworkError("deadline-exceeded", `${what} was not answered within ${timeoutMs} ms`);
}

import { OutworkError } from "../errors.ts";

/** What every call of the client takes. */
export interface CallOptions {
  /** Ends the wait, never the work: a process dies only by terminate, timeout or policy. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer, in milliseconds, repeated tries included. */
  readonly timeoutMs?: number | undefined;
  /** Further tries of what may be sent again, instead of the client's own number. */
  readonly retries?: number | undefined;
}

/**
 * The caller's signal and the time limit as one, or undefined when there is neither. Always a signal
 * of this call's own: any number of calls may share the caller's without piling listeners on it.
 */
export function callSignal({ signal, timeoutMs }: CallOptions): AbortSignal | undefined {
  const limits = signal === undefined ? [] : [signal];
  if (timeoutMs !== undefined) limits.push(AbortSignal.timeout(timeoutMs));
  return limits.length === 0 ? undefined : AbortSignal.any(limits);
}

/**
 * What to throw once the merged signal has fired: the caller's own reason, or `deadline-exceeded`
 * when it was the time limit.
 */
export function endedBy({ signal, timeoutMs }: CallOptions, what: string): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new OutworkError("deadline-exceeded", `${what} was not answered within ${timeoutMs} ms`);
}

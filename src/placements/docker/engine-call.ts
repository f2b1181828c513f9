import { OutworkError, systemCode } from "../../errors.ts";

/** The engine answered, and refused. `message` is its own text. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** What the client library puts in front of the engine's own words. */
const LIBRARY_PREFIX = /^\(HTTP code \d+\) [^-]+ - /;

export interface CallOptions {
  /** What is being asked, for messages: "start the container". */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * One call with a deadline of its own. The signal that `run` gets is aborted when the call fails for
 * whatever reason, so that no request or half-sent body stays behind; after success it is left
 * alone, since the answer may be a stream that lives on.
 * @throws EngineRefusal the engine's own answer
 * @throws `placement-unavailable` the engine cannot be reached or does not answer in time
 * @throws the signal's reason when the caller gave up
 */
export async function callEngine<T>(
  options: CallOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { what, signal, timeoutMs } = options;
  signal.throwIfAborted();
  const call = new AbortController();
  const giveUp = () => call.abort(signal.reason);
  const late = () => call.abort(unanswered(what, timeoutMs));
  const timer = setTimeout(late, timeoutMs);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([run(call.signal), rejectionOf(call.signal)]);
  } catch (error) {
    const failure = call.signal.aborted ? call.signal.reason : translate(what, error);
    call.abort(failure);
    throw failure;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function unanswered(what: string, timeoutMs: number): OutworkError {
  return new OutworkError(
    "placement-unavailable",
    `The container engine was asked to ${what} and did not answer within ${timeoutMs} ms.`,
  );
}

/** The client library's error in our words: an HTTP answer, or a connection that failed. */
function translate(what: string, error: unknown): Error {
  const { statusCode, json, message } = error as {
    statusCode?: number;
    json?: { message?: string } | null;
    message?: string;
  };
  if (statusCode !== undefined) {
    const text = json?.message ?? message?.replace(LIBRARY_PREFIX, "") ?? "";
    return new EngineRefusal(statusCode, text.trim() || "no reason given", { cause: error });
  }
  if (error instanceof OutworkError) return error;
  return new OutworkError(
    "placement-unavailable",
    `The container engine cannot be asked to ${what}: ${message ?? systemCode(error)}.`,
    { cause: error },
  );
}

import type { Problem } from "./contract/problem.ts";
import { PROBLEMS, type ProblemCode } from "./contract/problem-codes.ts";

const TYPE_PREFIX = "urn:outwork:";

/** What a program may act on. Becomes extension members of the problem. Never secrets. */
export type Facts = Readonly<Record<string, unknown>>;

/** A failure raised on purpose. `code` is a promise to callers; `message` is prose for people. */
export class OutworkError extends Error {
  override readonly name: string;
  readonly code: ProblemCode;
  readonly facts: Facts;

  constructor(code: ProblemCode, message: string, options: ErrorOptions & { facts?: Facts } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.facts = options.facts ?? {};
  }

  /** HTTP status of the problem. */
  get status(): number {
    return PROBLEMS[this.code].status;
  }

  /** May the same request, sent again unchanged, succeed? */
  get retryable(): boolean {
    return PROBLEMS[this.code].retryable;
  }
}

/** RFC 9457. An error that was not raised on purpose tells the caller nothing but `internal`. */
export function toProblem(error: unknown): Problem {
  const known =
    error instanceof OutworkError
      ? error
      : new OutworkError("internal", "The service's log has the details.");
  const { code, status, retryable, message: detail, facts } = known;
  const { title } = PROBLEMS[code];
  return { ...facts, type: TYPE_PREFIX + code, title, status, detail, retryable };
}

/** The same error that the other side threw. A code we do not know becomes `internal`. */
export function fromProblem(problem: Problem): OutworkError {
  const { type, title: _, status: __, detail, retryable: ___, ...facts } = problem;
  const code = type.slice(TYPE_PREFIX.length);
  return new OutworkError(isProblemCode(code) ? code : "internal", detail, { facts });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** The error behind any thrown value. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The `code` of a system error (`ENOENT`, …), or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

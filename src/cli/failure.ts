import type { ProblemCode } from "../contract/problem-codes.ts";
import { asError, OutworkError } from "../errors.ts";
import { EXIT } from "./exit-codes.ts";
import { OutcomeUnknownError } from "./outcome-unknown-error.ts";
import { UsageError } from "./usage-error.ts";
import { visible } from "./visible.ts";

const EXIT_CODES: Partial<Record<ProblemCode, number>> = {
  "validation-failed": EXIT.usage,
  "environment-not-found": EXIT.notFound,
  "environment-gone": EXIT.notFound,
  "process-not-found": EXIT.notFound,
  "process-gone": EXIT.notFound,
  unauthenticated: EXIT.refused,
  "not-permitted": EXIT.refused,
  "policy-denied": EXIT.refused,
  "ceiling-exceeded": EXIT.refused,
  "agent-unreachable": EXIT.unreachable,
  "placement-unavailable": EXIT.unreachable,
  "service-stopping": EXIT.unreachable,
  "service-unreachable": EXIT.unreachable,
  "deadline-exceeded": EXIT.unknown,
  "outcome-unknown": EXIT.unknown,
};

const HINTS: Partial<Record<ProblemCode, string>> = {
  "environment-not-found": "`outwork env ls` lists the environments",
  "process-not-found": "`outwork ps ENV` lists the processes of an environment",
  unauthenticated: "set OUTWORK_TOKEN, or name a file that holds the token with --token-file",
  "service-unreachable":
    "start a service with `outwork serve`, or say where it is with --url or OUTWORK_URL",
  "placement-unavailable": "`outwork doctor` says what is missing",
  "enforcement-missing": "`outwork doctor` says what is missing",
};

/** How a failure ends the command line. */
export interface Failure {
  readonly exitCode: number;
  /** Lines for stderr, without the last newline. */
  readonly text: string;
}

export function failureOf(thrown: unknown): Failure {
  const error = asError(thrown);
  const { exitCode, hint } = classified(error);
  const lines = [`outwork: ${error.message}`, ...(hint === undefined ? [] : [`  hint: ${hint}`])];
  return { exitCode, text: visible(lines.join("\n")) };
}

function classified(error: Error): { exitCode: number; hint: string | undefined } {
  if (error instanceof UsageError) return { exitCode: EXIT.usage, hint: error.hint };
  if (error instanceof OutcomeUnknownError) return { exitCode: EXIT.unknown, hint: error.hint };
  if (!(error instanceof OutworkError)) return { exitCode: EXIT.failure, hint: undefined };
  const { hint = HINTS[error.code] } = error.facts;
  const exitCode = EXIT_CODES[error.code] ?? EXIT.failure;
  return { exitCode, hint: typeof hint === "string" ? hint : undefined };
}

import { Problem } from "../contract/problem.ts";
import { fromProblem, OutworkError } from "../errors.ts";

/** The result in an answer of the agent, or the error in it, thrown. */
export function resultOf(answer: string): unknown {
  const { result, error } = JSON.parse(answer) as {
    result?: unknown;
    error?: { message?: string; data?: { problem?: unknown } };
  };
  if (error === undefined) return result;
  const problem = Problem.safeParse(error.data?.problem);
  if (problem.success) throw fromProblem(problem.data);
  throw unreachable(new Error(error.message ?? "the agent gave no reason"));
}

/** The agent, or the way to it, is away. */
export function unreachable(cause: Error): OutworkError {
  return new OutworkError(
    "agent-unreachable",
    `The environment's agent is away: ${cause.message}.`,
    {
      cause,
    },
  );
}

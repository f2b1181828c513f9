import type { FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "../contract/index.ts";
import { asError, OutworkError, systemCode, toProblem } from "../errors.ts";
import { invalid } from "./issues.ts";

const PROBLEM_TYPE = "application/problem+json";

/**
 * The problem that tells the caller of `error`, and the log line that tells the operator. Details of
 * what was not thrown on purpose go to the log alone.
 */
export function problemOf(error: unknown, request: FastifyRequest): Problem {
  const known = knownError(error, request);
  log(known ?? error, request);
  return { ...toProblem(known ?? error), request_id: request.id };
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .type(PROBLEM_TYPE)
    .serializer((body: unknown) => JSON.stringify(body))
    .send(problem);
}

function knownError(error: unknown, { waitSignal }: FastifyRequest): OutworkError | null {
  if (waitSignal?.aborted && waitSignal.reason instanceof OutworkError) return waitSignal.reason;
  if (error instanceof OutworkError) return error;
  return isOfFastify(error) ? fromFastify(error) : null;
}

function isOfFastify(error: unknown): error is Error & { statusCode: number } {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  const fromParser = error instanceof SyntaxError || systemCode(error)?.startsWith("FST_ERR_");
  return fromParser === true && typeof statusCode === "number";
}

function fromFastify({ statusCode, message }: Error & { statusCode: number }): OutworkError | null {
  switch (statusCode) {
    case 400:
    case 414:
      return invalid([{ path: "", message }]);
    case 413:
      return new OutworkError("too-large", message);
    case 415:
      return new OutworkError("media-type-unsupported", `${message}.`);
    default:
      return null;
  }
}

function log(error: unknown, request: FastifyRequest): void {
  const facts = { err: asError(error) };
  if (request.waitSignal?.aborted) request.log.debug(facts, "nobody waits for the answer");
  else if (!(error instanceof OutworkError)) request.log.error(facts, "request failed");
  else if (error.code === "internal") request.log.error(facts, "request failed");
  else if (error.status >= 500) request.log.warn(facts, "request could not be served");
  else request.log.debug(facts, "request refused");
}

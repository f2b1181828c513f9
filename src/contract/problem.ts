import { z } from "zod";

/** What can go wrong, by name. Codes are added, never renamed; each has one class in `errors.ts`. */
export const PROBLEMS = {
  "validation-failed": { status: 400, retryable: false, title: "The request is not valid" },
  unauthenticated: { status: 401, retryable: false, title: "A valid token is needed" },
  "not-permitted": { status: 403, retryable: false, title: "The token does not allow this" },
  "policy-denied": { status: 403, retryable: false, title: "The policy forbids this" },
  "ceiling-exceeded": { status: 403, retryable: false, title: "More than the operator allows" },
  "environment-not-found": { status: 404, retryable: false, title: "No such environment" },
  "process-not-found": { status: 404, retryable: false, title: "No such process" },
  "path-not-found": { status: 404, retryable: false, title: "No such path in the environment" },
  "route-not-found": { status: 404, retryable: false, title: "No such route" },
  "environment-conflict": { status: 409, retryable: false, title: "The id has another spec" },
  "process-conflict": { status: 409, retryable: false, title: "The process id is taken" },
  "environment-gone": { status: 410, retryable: false, title: "The environment has ended" },
  "process-gone": { status: 410, retryable: false, title: "The process's record has expired" },
  "too-large": { status: 413, retryable: false, title: "Larger than the limit" },
  "tool-failed": { status: 422, retryable: false, title: "The tool call failed" },
  "start-failed": { status: 422, retryable: false, title: "The program could not be started" },
  "archive-refused": { status: 422, retryable: false, title: "The archive is refused" },
  "image-not-found": { status: 422, retryable: false, title: "No such image" },
  "quota-exceeded": { status: 429, retryable: true, title: "Too many at once" },
  internal: { status: 500, retryable: false, title: "A fault of the service" },
  "enforcement-missing": { status: 501, retryable: false, title: "Cannot be enforced here" },
  "agent-unreachable": { status: 502, retryable: true, title: "The agent did not answer" },
  "placement-unavailable": { status: 503, retryable: true, title: "The placement is away" },
  "deadline-exceeded": { status: 504, retryable: false, title: "Time ran out; effect unknown" },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Body of every failed request: `application/problem+json`. @see RFC 9457 */
export const Problem = z
  .looseObject({
    type: z.string().describe("`urn:outwork:` and the code that programs branch on."),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe("Prose for people: the thing, the rule, what is allowed."),
    retryable: z.boolean().describe("May the same request, sent again unchanged, succeed?"),
    request_id: z.string().optional().describe("Joins the answer to the service's log."),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

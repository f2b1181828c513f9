import { z } from "zod";

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

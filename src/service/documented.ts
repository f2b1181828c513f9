import { Problem } from "../contract/index.ts";

const content = { "application/problem+json": { schema: Problem } };

/** Responses that every route may give. */
export const problems = {
  "4xx": { description: "The request was refused.", content },
  "5xx": { description: "The request could not be served.", content },
};

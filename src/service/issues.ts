import type { z } from "zod";
import { OutworkError } from "../errors.ts";

/** One thing that is wrong with a request. `path` is the member's, dotted; empty: the whole. */
interface Issue {
  readonly path: string;
  readonly message: string;
}

/** A request that does not match its schema. Each unknown member is an issue of its own. */
export function validationFailed(error: z.core.$ZodError): OutworkError {
  return invalid(error.issues.flatMap(issuesOf));
}

export function invalid(issues: readonly Issue[]): OutworkError {
  const lines = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return new OutworkError("validation-failed", lines.join("; "), { facts: { issues } });
}

function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") {
    return [{ path: path.join("."), message: issue.message }];
  }
  return issue.keys.map((key) => ({
    path: [...path, key].join("."),
    message: "is not a member that exists here",
  }));
}

import type { z } from "zod";
import { UsageError } from "./usage-error.ts";

/**
 * A request that flags were turned into, checked before it is sent.
 * @throws UsageError naming the first member that is not right
 */
export function checked<S extends z.ZodType>(schema: S, request: z.input<S>): z.input<S> {
  const result = schema.safeParse(request);
  if (result.success) return request;
  const [issue] = result.error.issues;
  throw new UsageError(`${issue?.path.join(".") || "request"}: ${issue?.message}`);
}

/** Without the members that are undefined. */
export function given<T extends object>(members: T): Given<T> {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as Given<T>;
}

type Given<T> = { [key in keyof T]?: Exclude<T[key], undefined> };

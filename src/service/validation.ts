import { z } from "zod";
import { OutworkError } from "../errors.ts";
import { validationFailed } from "./issues.ts";

interface Validated {
  readonly value?: unknown;
  readonly error?: Error;
}

/** Checks one part of a request. A schema that itself throws is a fault of ours, not the caller's. */
export function compileValidator({ schema }: { schema: unknown }): (part: unknown) => Validated {
  return answering((part) => {
    const result = z.safeParse(schema as z.ZodType, part);
    if (!result.success) throw validationFailed(result.error);
    return result.data;
  });
}

/** A validator out of a parser that throws. Fastify must be answered: a throw would be lost to it. */
export function answering(parse: (part: unknown) => unknown): (part: unknown) => Validated {
  return (part) => {
    try {
      return { value: parse(part) };
    } catch (cause) {
      if (cause instanceof OutworkError) return { error: cause };
      return { error: new OutworkError("internal", "A schema failed.", { cause }) };
    }
  };
}

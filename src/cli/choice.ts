import { UsageError } from "./usage-error.ts";

/** One of a few words. A flag that was not given stays undefined. */
export function choice<C extends string, T extends string | undefined>(
  flag: string,
  text: T,
  choices: readonly C[],
): T extends string ? C : undefined {
  const chosen = choices.find((one) => one === (text as string | undefined));
  if (text !== undefined && chosen === undefined) {
    throw new UsageError(`${flag} is one of ${choices.join(", ")}; not \`${text}\``);
  }
  return chosen as T extends string ? C : undefined;
}

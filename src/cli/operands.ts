import type { Flags, Parsed } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The words of a command line that must be exactly these, by name.
 * @throws UsageError naming the one that is missing or too much
 */
export function operands<const N extends readonly string[]>(
  { words, rest }: Pick<Parsed<Flags>, "words" | "rest">,
  names: N,
): { readonly [index in keyof N]: string } {
  const given = [...words, ...rest];
  const missing = names[given.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = given[names.length];
  if (extra !== undefined) throw new UsageError(`\`${extra}\` is one word too many`);
  return given as unknown as { readonly [index in keyof N]: string };
}

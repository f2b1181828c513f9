import { UsageError } from "./usage-error.ts";

/** `NAME=VALUE` words as a record; undefined when there are none. */
export function pairs(flag: string, words: readonly string[]): Record<string, string> | undefined {
  if (words.length === 0) return undefined;
  return Object.fromEntries(words.map((word) => pair(flag, word)));
}

function pair(flag: string, word: string): [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw new UsageError(`${flag} takes NAME=VALUE, not \`${word}\``);
  return [word.slice(0, at), word.slice(at + 1)];
}

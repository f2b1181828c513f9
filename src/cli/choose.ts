import type { Command } from "./command.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";
import { UsageError } from "./usage-error.ts";

/** What a command line asks for. */
export type Choice =
  | { readonly kind: "command"; readonly command: Command; readonly args: readonly string[] }
  | { readonly kind: "overview" | "version" };

/**
 * Finds the command that a command line names, behind any global flags.
 * @throws UsageError naming what there is instead
 */
export function choose(argv: readonly string[], commands: readonly Command[]): Choice {
  const at = firstWord(argv);
  const [word, next] = argv.slice(at);
  const flagsBefore = argv.slice(0, at);
  if (word === undefined) return withoutCommand(flagsBefore);
  const name = commands.some((one) => one.name.startsWith(`${word} `)) ? `${word} ${next}` : word;
  const command = commands.find((one) => one.name === name);
  if (command === undefined && isHelp(next)) return { kind: "overview" };
  if (command === undefined) throw unknownCommand(word, next, commands);
  const args = [...flagsBefore, ...argv.slice(at + name.split(" ").length)];
  return { kind: "command", command, args };
}

/** The index of the first argument that is neither a flag nor a global flag's value. */
function firstWord(argv: readonly string[]): number {
  let at = 0;
  while (argv[at]?.startsWith("-")) at += takesNext(argv[at] ?? "") ? 2 : 1;
  return at;
}

function takesNext(arg: string): boolean {
  return Object.entries(GLOBAL_FLAGS).some(
    ([name, flag]) => "value" in flag && arg === `--${name}`,
  );
}

function withoutCommand(flags: readonly string[]): Choice {
  if (flags.length === 0 || flags.some(isHelp)) {
    return { kind: "overview" };
  }
  if (flags.includes("--version")) return { kind: "version" };
  throw new UsageError(`${flags[0]} needs a command after it; \`outwork --help\` lists them`);
}

function isHelp(arg: string | undefined): boolean {
  return arg === "--help" || arg === "-h";
}

function unknownCommand(
  word: string,
  next: string | undefined,
  commands: readonly Command[],
): UsageError {
  const within = commands.filter(({ name }) => name.startsWith(`${word} `));
  if (within.length === 0) {
    const names = commands.map(({ name }) => name).join(", ");
    return new UsageError(`there is no command \`${word}\`; there are ${names}`);
  }
  const names = within.map(({ name }) => name.slice(word.length + 1)).join(", ");
  const problem = next === undefined ? "needs a word more" : `has no \`${next}\``;
  return new UsageError(`\`outwork ${word}\` ${problem}: ${names}`);
}

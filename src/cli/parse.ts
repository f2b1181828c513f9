import { parseArgs } from "node:util";
import type { Flag, Flags, Parsed } from "./command.ts";
import { UsageError } from "./usage-error.ts";

type Token = NonNullable<ReturnType<typeof parseTokens>>[number];
type Values = Record<string, string | boolean | string[] | undefined>;
type OptionToken = Extract<Token, { kind: "option" }>;

/**
 * Takes a command line apart by the flags that are allowed on it.
 * @throws UsageError naming the flag and what is allowed
 */
export function parse(args: readonly string[], flags: Flags, flagHint?: string): Parsed<Flags> {
  const tokens = parseTokens(args, flags);
  const end = tokens.find((token) => token.kind === "option-terminator")?.index ?? args.length;
  const values: Values = {};
  for (const [name, flag] of Object.entries(flags)) values[name] = absent(flag);
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(token.rawName, flags, flagHint);
    take(token, flag, values);
  }
  const positional = tokens.filter((token) => token.kind === "positional");
  return {
    flags: values as Parsed<Flags>["flags"],
    words: positional.filter(({ index }) => index < end).map(({ value }) => value),
    rest: positional.filter(({ index }) => index > end).map(({ value }) => value),
  };
}

function parseTokens(args: readonly string[], flags: Flags) {
  const options = Object.entries(flags).map(([name, flag]) => {
    const type = flag.value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, ...(flag.short === undefined ? {} : { short: flag.short }) }] as const;
  });
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

function absent(flag: Flag): false | string[] | undefined {
  if (flag.value === undefined) return false;
  return flag.many === true ? [] : undefined;
}

function take(token: OptionToken, flag: Flag, values: Values): void {
  const value = givenValue(token, flag);
  const before = values[token.name];
  if (Array.isArray(before)) before.push(String(value));
  else if (typeof before === "string") throw new UsageError(`${token.rawName} is given twice`);
  else values[token.name] = value;
}

function givenValue({ rawName, value, inlineValue }: OptionToken, flag: Flag): string | true {
  if (flag.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return true;
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${flag.value}`);
  if (inlineValue !== true && value.startsWith("-") && value !== "-") {
    throw new UsageError(`${rawName} needs a value; one that starts with - goes after =`);
  }
  return value;
}

function unknownFlag(rawName: string, flags: Flags, hint: string | undefined): UsageError {
  const allowed = Object.keys(flags).map((name) => `--${name}`);
  return new UsageError(`unknown flag ${rawName}; allowed here: ${allowed.join(" ")}`, hint);
}

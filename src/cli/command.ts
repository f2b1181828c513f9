import type { Readable, Writable } from "node:stream";
import type { Outwork } from "../client/index.ts";
import type { ServiceAddress } from "../client/local-service.ts";

/** One flag of a command. Without `value` it is a switch. */
export interface Flag {
  readonly short?: string;
  /** What stands for the value in the help, in capitals. */
  readonly value?: string;
  /** May be given several times. */
  readonly many?: true;
  readonly help: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** What was given for each flag. */
export type FlagValues<F extends Flags> = {
  readonly [name in keyof F]: F[name] extends { value: string }
    ? F[name] extends { many: true }
      ? readonly string[]
      : string | undefined
    : boolean;
};

/** A command line taken apart. */
export interface Parsed<F extends Flags> {
  readonly flags: FlagValues<F>;
  /** Words before `--`, or all of them when there is none. */
  readonly words: readonly string[];
  /** Words after `--`. */
  readonly rest: readonly string[];
}

/** Where input comes from: a terminal, or anything else. */
export type Input = Readable & { isTTY?: boolean; setRawMode?(on: boolean): unknown };
/** Where output goes: a terminal of some size, or anything else. */
export type Output = Writable & { isTTY?: boolean; rows?: number; columns?: number };

/** Where a command reads and writes, and how it reaches the service. */
export interface Context {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly variables: NodeJS.ProcessEnv;
  connect(): Promise<Outwork>;
  /** For what the client has no call for. */
  address(): Promise<ServiceAddress>;
}

/** One command of the command line, as help, parser and `main` see it. */
export interface Command<F extends Flags = Flags> {
  /** One or two words. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows the name, in capitals what stands for something. */
  readonly usage: string;
  /** Paragraphs for a newcomer. */
  readonly description: string;
  readonly examples: readonly string[];
  readonly flags: F;
  /** What to do about a flag that is not one of these. */
  readonly flagHint?: string;
  /** Resolves with the exit code. */
  run(parsed: Parsed<F>, context: Context): Promise<number>;
}

/** Keeps the types of a command's flags for its own `run`. */
export function command<const F extends Flags>(definition: Command<F>): Command {
  return {
    ...definition,
    run: (parsed, context) => definition.run(parsed as unknown as Parsed<F>, context),
  };
}

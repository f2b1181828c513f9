import { VERSION } from "../version.ts";
import { choose } from "./choose.ts";
import type { Command, Context, FlagValues } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { addressOf, connect } from "./connect.ts";
import { EXIT } from "./exit-codes.ts";
import { failureOf } from "./failure.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";
import { commandHelp, overview } from "./help.ts";
import { parse } from "./parse.ts";
import { ReaderGoneError, write } from "./write.ts";

export type Streams = Omit<Context, "connect" | "address">;

/** What a shell says of a program that wrote where nobody reads: 128 and SIGPIPE. */
const READER_GONE = 141;

/** Runs one command line and resolves with its exit code. Never rejects. */
export async function run(argv: readonly string[], streams: Streams): Promise<number> {
  try {
    return await chosen(argv, streams);
  } catch (error) {
    if (error instanceof ReaderGoneError) return READER_GONE;
    const { exitCode, text } = failureOf(error);
    await write(streams.stderr, `${text}\n`).catch(() => undefined);
    return exitCode;
  }
}

async function chosen(argv: readonly string[], streams: Streams): Promise<number> {
  const choice = choose(argv, COMMANDS);
  if (choice.kind === "command") return commanded(choice.command, choice.args, streams);
  const text = choice.kind === "version" ? `${VERSION}\n` : overview(COMMANDS);
  await write(streams.stdout, text);
  return EXIT.ok;
}

async function commanded(
  command: Command,
  args: readonly string[],
  streams: Streams,
): Promise<number> {
  const parsed = parse(args, { ...command.flags, ...GLOBAL_FLAGS }, command.flagHint);
  const global = parsed.flags as FlagValues<typeof GLOBAL_FLAGS>;
  if (global.help) {
    await write(streams.stdout, commandHelp(command));
    return EXIT.ok;
  }
  const context = {
    ...streams,
    connect: () => connect(global, streams.variables),
    address: () => addressOf(global, streams.variables),
  };
  return command.run(parsed, context);
}

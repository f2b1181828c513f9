import { newId } from "../../client/new-id.ts";
import { StartProcess, type StartProcessInput } from "../../contract/process.ts";
import { OutworkError } from "../../errors.ts";
import { checked, given } from "../checked.ts";
import { type Context, command, type Flags, type FlagValues } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { foreground } from "../foreground.ts";
import { OutcomeUnknownError } from "../outcome-unknown-error.ts";
import { pairs } from "../pairs.ts";
import { PATIENCE_FLAG, patienceMs } from "../patience.ts";
import { POLICY_FLAGS, policyRequest } from "../policy-flags.ts";
import { withProgress } from "../progress.ts";
import { milliseconds } from "../quantity.ts";
import { terminalSize } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { write, writeJson } from "../write.ts";

const FLAGS = {
  stdin: { short: "i", help: "Pass our stdin on. Without it the command's stdin is empty." },
  tty: { short: "t", help: "Run on a terminal. Every key, Ctrl-C too, goes to the command." },
  detach: { short: "d", help: "Start it, print its process id and leave." },
  cwd: { short: "w", value: "PATH", help: "Folder to run it in. Default: the workspace." },
  env: {
    short: "e",
    value: "NAME=VALUE",
    many: true,
    help: "Set an environment variable. May be repeated.",
  },
  id: { value: "ID", help: "Process id to give it, so that a repeated start is harmless." },
  timeout: { value: "TIME", help: "End it after this long: 90s, 15m, 2h." },
  "quiet-timeout": { value: "TIME", help: "End it after this long without output." },
  ...PATIENCE_FLAG,
  ...POLICY_FLAGS,
  json: { help: "With --detach: print the process as JSON." },
} as const satisfies Flags;

type ExecFlags = FlagValues<typeof FLAGS>;

export const exec = command({
  name: "exec",
  summary: "Run a command in an environment",
  usage: "ENV -- COMMAND [ARGUMENT…]",
  description: [
    "Runs one program in the environment ENV and stands in for it here: its stdout and stderr come",
    "out of ours, and its exit code becomes ours. No shell is added; for one, say",
    "`-- bash -lc 'a | b'`.",
    "",
    "Ctrl-C is passed on as SIGINT; a second one within two seconds ends the command, a third one",
    "leaves it. A lost connection is made again, and no output is lost or doubled. When the end of",
    "the command could not be seen, the exit code is 125 and stderr says why.",
  ].join("\n"),
  examples: [
    "outwork exec env_1 -- npm test",
    "git diff | outwork exec -i env_1 -- git apply",
    "outwork exec -it env_1 -- bash",
  ],
  flags: FLAGS,
  flagHint: "flags of the command itself go after --, as in `outwork exec ENV -- ls -l`",
  async run({ flags, words, rest }, context) {
    const [environmentId, ...others] = words;
    if (environmentId === undefined) throw new UsageError("ENV is missing");
    const argv = [...others, ...rest];
    if (argv.length === 0) throw new UsageError("COMMAND is missing; it goes after --");
    const start = { process_id: flags.id ?? newId("proc"), ...startOf(argv, flags, context) };
    return started(environmentId, checked(StartProcess, start), flags, context);
  },
});

function startOf(argv: readonly string[], flags: ExecFlags, { stdout }: Context) {
  return {
    argv: [...argv],
    ...given({
      cwd: flags.cwd,
      variables: pairs("--env", flags.env),
      stdin: flags.stdin ? ("pipe" as const) : undefined,
      tty: flags.tty ? terminalSize(stdout) : undefined,
      policy: policyRequest(flags),
      timeout_ms: milliseconds("--timeout", flags.timeout),
      quiet_timeout_ms: milliseconds("--quiet-timeout", flags["quiet-timeout"]),
      back_pressure: flags.detach ? undefined : ("reader" as const),
    }),
  };
}

async function started(
  environmentId: string,
  start: StartProcessInput,
  flags: ExecFlags,
  context: Context,
): Promise<number> {
  await using outwork = await context.connect();
  const work = outwork.environment(environmentId).start(start).catch(maybeStarted(start));
  const process = await withProgress(context.stderr, () => "starting the command", work);
  if (flags.detach) {
    await (flags.json
      ? writeJson(context.stdout, await process.inspect())
      : write(context.stdout, `${process.id}\n`));
    return EXIT.ok;
  }
  return await foreground(process, context, {
    terminal: flags.tty,
    input: flags.stdin || (flags.tty && context.stdin.isTTY === true),
    owned: true,
    afterSeq: 0,
    patienceMs: patienceMs(flags),
  });
}

/** A start that could not be confirmed may have happened all the same. */
function maybeStarted({ process_id }: StartProcessInput) {
  return (error: unknown): never => {
    const { facts } = error instanceof OutworkError ? error : { facts: undefined };
    if (facts?.effect !== "unknown") throw error;
    const message = `it is not known whether ${process_id} was started: ${(error as Error).message}`;
    throw new OutcomeUnknownError(message, { cause: error });
  };
}

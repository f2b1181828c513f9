import { command, type Flags } from "../command.ts";
import { foreground } from "../foreground.ts";
import { operands } from "../operands.ts";
import { PATIENCE_FLAG, patienceMs } from "../patience.ts";
import { withProgress } from "../progress.ts";
import { number } from "../quantity.ts";

const FLAGS = {
  stdin: { short: "i", help: "Pass our stdin on, to a process that was started with one." },
  after: { value: "SEQ", help: "Show only what came after this event. Default: all that is kept." },
  ...PATIENCE_FLAG,
} as const satisfies Flags;

export const attach = command({
  name: "attach",
  summary: "Follow a process that is running, or has run",
  usage: "ENV PROCESS",
  description: [
    "Shows what the process has printed and goes on until its end; its exit code becomes ours.",
    "A process on a terminal also gets every key that is typed here. Leaving never ends it:",
    "Ctrl-] leaves a process on a terminal, Ctrl-C any other.",
  ].join("\n"),
  examples: ["outwork attach env_1 proc_k3v9x0q2m7c4t8aa"],
  flags: FLAGS,
  async run(parsed, context) {
    const { flags } = parsed;
    const [environmentId, processId] = operands(parsed, ["ENV", "PROCESS"]);
    const afterSeq = number("--after", flags.after) ?? 0;
    await using outwork = await context.connect();
    const process = outwork.environment(environmentId).process(processId);
    const asked = withProgress(context.stderr, () => "looking for the process", process.inspect());
    const { tty, state } = await asked;
    const keys = tty && context.stdin.isTTY === true && state.kind === "running";
    return await foreground(process, context, {
      terminal: tty,
      input: flags.stdin || keys,
      owned: false,
      afterSeq,
      patienceMs: patienceMs(flags),
    });
  },
});

import type { RemoteProcess } from "../client/index.ts";
import { asError } from "../errors.ts";
import type { Context } from "./command.ts";
import { forwardSignals } from "./interrupts.ts";
import { feedStdin } from "./keyboard.ts";
import { OutcomeUnknownError } from "./outcome-unknown-error.ts";
import { relay } from "./relay.ts";
import { followSize, rawMode } from "./terminal.ts";
import { ReaderGoneError, write } from "./write.ts";

/** What a shell says of a program that wrote where nobody reads: 128 and SIGPIPE. */
const READER_GONE = 141;

export interface ForegroundOptions {
  /** The process runs on a terminal. */
  readonly terminal: boolean;
  /** Our stdin is passed on. */
  readonly input: boolean;
  /** Our signals are the command's; otherwise they end only our watching it. */
  readonly owned: boolean;
  readonly afterSeq: number;
  readonly patienceMs: number;
}

/**
 * Stands in for a process that runs elsewhere until its end, and resolves with its exit code.
 * @throws OutcomeUnknownError when its end was not seen
 */
export async function foreground(
  process: RemoteProcess,
  context: Context,
  options: ForegroundOptions,
): Promise<number> {
  const leaving = new AbortController();
  const { signal } = leaving;
  using _links = linked(process, context, options, leaving);
  const input = options.input ? feed(process, context, options, leaving) : undefined;
  try {
    return await relay(process, context, { ...options, signal });
  } catch (error) {
    if (!(error instanceof ReaderGoneError)) throw unknownOutcome(process, error);
    await process.terminate();
    return READER_GONE;
  } finally {
    leaving.abort();
    if (input !== undefined) context.stdin.destroy();
    await input;
  }
}

/** Ties our terminal and our signals to the process. */
function linked(
  process: RemoteProcess,
  { stdin, stdout, stderr }: Context,
  { terminal, input, owned }: ForegroundOptions,
  leaving: AbortController,
): Disposable {
  const { signal } = leaving;
  const leave = () => leaving.abort(left(process));
  const failed = (what: string, error: unknown) => {
    if (signal.aborted) return;
    const text = `outwork: ${what} could not be passed on: ${asError(error).message}\n`;
    write(stderr, text).catch(leave);
  };
  const links: Disposable[] = [];
  if (terminal && input) links.push(rawMode(stdin));
  if (terminal && stdout.isTTY) links.push(followSize(stdout, process, signal));
  if (owned) links.push(forwardSignals(process, { signal, leave, failed }));
  return {
    [Symbol.dispose]() {
      for (const link of links) link[Symbol.dispose]();
    },
  };
}

async function feed(
  process: RemoteProcess,
  { stdin }: Context,
  { terminal, owned }: ForegroundOptions,
  leaving: AbortController,
): Promise<void> {
  const { signal } = leaving;
  const leave = owned || !terminal ? undefined : () => leaving.abort(left(process));
  try {
    await feedStdin(stdin, process, { terminal, signal, leave });
  } catch (error) {
    if (!signal.aborted) leaving.abort(unknownOutcome(process, error));
  }
}

function left(process: RemoteProcess): OutcomeUnknownError {
  return new OutcomeUnknownError(`left ${process.id} before its end`, { hint: goOn(process) });
}

function unknownOutcome(process: RemoteProcess, error: unknown): OutcomeUnknownError {
  if (error instanceof OutcomeUnknownError) return error;
  const { environmentId, id } = process;
  const message = `what became of ${id} in ${environmentId} is not known: ${asError(error).message}`;
  return new OutcomeUnknownError(message, { cause: error, hint: goOn(process) });
}

function goOn({ environmentId, id }: RemoteProcess): string {
  return `\`outwork attach ${environmentId} ${id}\` goes on reading, if it is still there`;
}

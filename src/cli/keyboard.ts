import type { RemoteProcess } from "../client/index.ts";
import type { Input } from "./command.ts";

/** End of transmission: what Ctrl-D sends, and what ends the input of a program on a terminal. */
const END_OF_INPUT = "\x04";
/** Ctrl-], in front of everything else that a terminal sends. */
const LEAVE_KEY = 0x1d;
/** Tries of one write: about a minute without the service. */
const WRITE_RETRIES = 16;

interface InputOptions {
  readonly terminal: boolean;
  readonly signal: AbortSignal;
  /** Called when the leave key is typed; without it the key is passed on like any other. */
  readonly leave?: (() => void) | undefined;
}

/** Passes our stdin on to the process until either ends. */
export async function feedStdin(
  stdin: Input,
  process: RemoteProcess,
  { terminal, signal, leave }: InputOptions,
): Promise<void> {
  const options = { signal, retries: WRITE_RETRIES };
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    if (leave !== undefined && chunk.includes(LEAVE_KEY)) return leave();
    if ((await process.write(chunk, options)) === "stdin-closed") return;
  }
  await (terminal ? process.write(END_OF_INPUT, options) : process.end(options));
}

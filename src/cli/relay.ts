import type { ProcessEvent, RemoteProcess } from "../client/index.ts";
import type { EndCause } from "../contract/process.ts";
import type { Context } from "./command.ts";
import { write } from "./write.ts";

interface RelayOptions {
  readonly afterSeq: number;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

type Exited = Extract<ProcessEvent, { type: "exited" }>;

const NOTES: Partial<Record<EndCause, string>> = {
  timeout: "ended because its time limit was reached",
  "quiet-timeout": "ended because it printed nothing for too long",
};

/** Passes a process's output on to the right descriptors and resolves with its exit code. */
export async function relay(
  process: RemoteProcess,
  { stdout, stderr }: Context,
  options: RelayOptions,
): Promise<number> {
  let exited: Pick<Exited, "exit_code" | "cause"> | undefined;
  for await (const event of process.output(options)) {
    if (event.type === "output") {
      await write(event.stream === "stderr" ? stderr : stdout, event.chunk);
    } else if (event.type === "omitted") {
      await write(stderr, `outwork: ${event.bytes} bytes of output were dropped here\n`);
    } else if (event.type === "exited") exited = event;
  }
  const { exit_code, cause } = exited ?? (await process.wait(options));
  const note = NOTES[cause];
  if (note !== undefined) await write(stderr, `outwork: ${process.id} ${note}\n`);
  return exit_code;
}

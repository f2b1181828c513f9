import type { ProcessEvent, RemoteProcess } from "../client/index.ts";
import type { EndCause } from "../contract/process.ts";
import type { Context } from "./command.ts";
import { write } from "./write.ts";

interface RelayOptions {
  /** The process runs on a terminal, and ours is raw. */
  readonly terminal: boolean;
  readonly afterSeq: number;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

type Of<T extends ProcessEvent["type"]> = Extract<ProcessEvent, { type: T }>;

const REASONS: Partial<Record<EndCause, string>> = {
  timeout: "ended because its time limit was reached",
  "quiet-timeout": "ended because it printed nothing for too long",
};

/** Passes a process's output on to the right descriptors and resolves with its exit code. */
export async function relay(
  process: RemoteProcess,
  { stdout, stderr }: Context,
  options: RelayOptions,
): Promise<number> {
  const note = (text: string) => write(stderr, `outwork: ${text}${options.terminal ? "\r" : ""}\n`);
  let exited: Pick<Of<"exited">, "exit_code" | "cause"> | undefined;
  let offset = options.afterSeq === 0 ? 0 : undefined;
  for await (const event of process.output(options)) {
    if (event.type === "output") {
      offset = event.offset + event.chunk.length;
      await write(event.stream === "stderr" ? stderr : stdout, event.chunk);
    } else if (event.type === "omitted") {
      await note(`${missing(event, offset)} of output were dropped here`);
    } else if (event.type === "exited") exited = event;
  }
  const { exit_code, cause } = exited ?? (await process.wait(options));
  const reason = REASONS[cause];
  if (reason !== undefined) await note(`${process.id} ${reason}`);
  return exit_code;
}

function missing({ resume_offset }: Of<"omitted">, offset: number | undefined): string {
  return offset === undefined ? "some bytes" : `${resume_offset - offset} bytes`;
}

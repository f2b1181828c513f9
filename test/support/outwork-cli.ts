import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

/** What a run of the command line left behind. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly variables?: NodeJS.ProcessEnv;
  /** Given on stdin, which then ends. Omitted: stdin is empty. */
  readonly input?: string | Uint8Array;
}

/** argv of the built command line. */
export function cliArgv(args: readonly string[]): [string, ...string[]] {
  return [process.execPath, MAIN, ...args];
}

/** Variables of a command line that knows of no service but the given one. */
export function cliVariables(variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, OUTWORK_STATE: "/nonexistent", ...variables };
}

/** Starts the built command line; stdin is left open. */
export function startCli(args: readonly string[], variables?: NodeJS.ProcessEnv): ChildProcess {
  const [program, ...rest] = cliArgv(args);
  return spawn(program, rest, { env: cliVariables(variables), stdio: "pipe" });
}

/** Runs the built command line to its end. */
export async function runCli(
  args: readonly string[],
  { variables, input = "" }: CliOptions = {},
): Promise<CliResult> {
  const child = startCli(args, variables);
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return cliResult(child);
}

/** Everything that a started command line prints until its end. */
export async function cliResult(child: ChildProcess): Promise<CliResult> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

async function text(stream: AsyncIterable<Buffer> | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

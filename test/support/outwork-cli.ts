import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { run } from "../../src/cli/run.ts";

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

/** Variables of a command line that knows of no service but the one it is told. */
export function cliVariables(variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, OUTWORK_STATE: "/nonexistent", ...variables };
}

/** Runs a command line inside this process, with streams that are no terminals. */
export async function runCli(
  args: readonly string[],
  { variables, input = "" }: CliOptions = {},
): Promise<CliResult> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const printed = Promise.all([buffer(stdout), buffer(stderr)]);
  stdin.end(input);
  const code = await run(args, { stdin, stdout, stderr, variables: cliVariables(variables) });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out.toString(), stderr: err.toString() };
}

/** argv of the built command line, as a program of its own. */
export function cliArgv(args: readonly string[]): [string, ...string[]] {
  return [process.execPath, MAIN, ...args];
}

/** Starts the built command line as a program of its own; stdin is left open. */
export function startCli(args: readonly string[], variables?: NodeJS.ProcessEnv): ChildProcess {
  const [program, ...rest] = cliArgv(args);
  return spawn(program, rest, { env: cliVariables(variables), stdio: "pipe" });
}

/** Everything that a started command line prints until its end. */
export async function cliResult(child: ChildProcess): Promise<CliResult> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the child has no pipes");
  const [out, err, [code]] = await Promise.all([
    buffer(stdout),
    buffer(stderr),
    once(child, "close"),
  ]);
  return { code, stdout: out.toString(), stderr: err.toString() };
}

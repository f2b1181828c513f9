import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Program } from "../../contract/agent.ts";

/** One entry of `stdio`: a pipe, nothing, or a descriptor of ours. */
export type Stdio = "pipe" | "ignore" | number;

/** On which the launcher reads its arguments, and says which process the sandbox's init is. */
const ARGUMENTS_FD = 3;
const INFO_FD = 4;

export interface SandboxSpawn {
  readonly launcher: Program;
  readonly options: readonly string[];
  readonly argv: readonly string[];
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  /** Have the launcher report the sandbox's init, see `initOf`. */
  readonly reportsInit: boolean;
  /** Descriptors of ours that would survive into the sandbox. */
  readonly inherited: ReadonlySet<number>;
}

/**
 * Runs `argv` in the sandbox that `options` describe. The launcher itself gets an empty environment,
 * and its arguments through a descriptor: they hold the command's variables, which no process list
 * should show.
 */
export function spawnSandboxed(sandbox: SandboxSpawn): ChildProcess {
  const { options, argv, stdio, reportsInit, inherited } = sandbox;
  const [program = "", ...prefix] = sandbox.launcher;
  const info = reportsInit ? ["--info-fd", String(INFO_FD)] : [];
  const cover = openSync("/dev/null", "r");
  try {
    const covered = coverDescriptors(inherited, cover);
    if (reportsInit) covered[INFO_FD] = "pipe";
    const own = [...stdio, "pipe" as const, ...covered.slice(ARGUMENTS_FD + 1)];
    const args = [...prefix, "--args", String(ARGUMENTS_FD), ...info, "--", ...argv];
    const child = spawn(program, args, { env: {}, stdio: own });
    sendArguments(child, options);
    return child;
  } finally {
    closeSync(cover);
  }
}

/**
 * Entries of `stdio`, by number, that put /dev/null over descriptors which the terminal binding opens
 * without close-on-exec. Node closes all others by itself.
 */
function coverDescriptors(inherited: ReadonlySet<number>, cover: number): Stdio[] {
  const last = Math.max(INFO_FD, ...inherited);
  return Array.from({ length: last + 1 }, (_, index) => (inherited.has(index) ? cover : "ignore"));
}

/** The pid of the sandbox's init, once the launcher has said it; null when it failed before that. */
export async function initOf(child: ChildProcess): Promise<number | null> {
  const pipe = child.stdio[INFO_FD];
  if (!pipe || !("read" in pipe)) return null;
  const pid = /"child-pid": *([0-9]+)/.exec(await text(pipe).catch(() => ""))?.[1];
  return pid === undefined ? null : Number(pid);
}

function sendArguments(child: ChildProcess, options: readonly string[]): void {
  const pipe = child.stdio[ARGUMENTS_FD];
  if (!pipe || !("write" in pipe)) return;
  // A launcher that dies early closes the pipe; its exit is what gets reported.
  pipe.on("error", () => {});
  pipe.end(options.map((option) => `${option}\0`).join(""));
}

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Program } from "../../contract/agent.ts";

/** One entry of `stdio`: a pipe, nothing, or a descriptor of ours. */
export type Stdio = "pipe" | "ignore" | number;

/** The descriptor on which the launcher reads its arguments. */
const ARGUMENTS_FD = 3;

/**
 * Runs `argv` in the sandbox that `options` describe. The launcher itself gets an empty environment,
 * and its arguments through a descriptor: they hold the command's variables, which no process list
 * should show.
 */
export function spawnSandboxed(
  launcher: Program,
  options: readonly string[],
  argv: readonly string[],
  stdio: readonly [Stdio, Stdio, Stdio],
  inherited: ReadonlySet<number>,
): ChildProcess {
  const [program = "", ...prefix] = launcher;
  const cover = openSync("/dev/null", "r");
  try {
    const child = spawn(program, [...prefix, "--args", String(ARGUMENTS_FD), "--", ...argv], {
      env: {},
      stdio: [...stdio, "pipe", ...coverDescriptors(inherited, cover)],
    });
    sendArguments(child, options);
    return child;
  } finally {
    closeSync(cover);
  }
}

/**
 * Entries of `stdio` from 4 on that put /dev/null over descriptors which the terminal binding opens
 * without close-on-exec. Node closes all others by itself.
 */
function coverDescriptors(inherited: ReadonlySet<number>, cover: number): Stdio[] {
  const first = ARGUMENTS_FD + 1;
  const last = Math.max(-1, ...inherited);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    inherited.has(first + index) ? cover : "ignore",
  );
}

function sendArguments(child: ChildProcess, options: readonly string[]): void {
  const pipe = child.stdio[ARGUMENTS_FD];
  if (!pipe || !("write" in pipe)) return;
  // A launcher that dies early closes the pipe; its exit is what gets reported.
  pipe.on("error", () => {});
  pipe.end(options.map((option) => `${option}\0`).join(""));
}

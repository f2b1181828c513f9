import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Duplex } from "node:stream";
import type { Program } from "../../contract/agent.ts";
import { placeLauncher } from "./placing.ts";

/** One entry of `stdio`: a pipe, nothing, or a descriptor of ours. */
export type Stdio = "pipe" | "ignore" | number;

/**
 * Descriptors of the launcher: its arguments; where it says which process the sandbox's init is; a gate,
 * from which it takes one byte as its last act but one before the command; and the filter of system
 * calls, which it puts up last.
 */
const ARGUMENTS_FD = 3;
const INFO_FD = 4;
const GATE_FD = 5;
const FILTER_FD = 6;

export interface SandboxSpawn {
  readonly launcher: Program;
  readonly options: readonly string[];
  readonly argv: readonly string[];
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  /** Control groups to run it in. */
  readonly groups: readonly string[];
  /** A seccomp program, in a descriptor of ours that stands at its start. */
  readonly filter: number;
  /** Descriptors of ours that would survive into the sandbox. */
  readonly inherited: ReadonlySet<number>;
}

/** A launcher, and our ends of its pipes. */
export interface Launcher {
  readonly child: ChildProcess;
  readonly info: Duplex;
  readonly gate: Duplex;
}

/**
 * Starts a launcher that builds the sandbox which `options` describe, for `argv` to run in. It gets an
 * empty environment, and its options through a descriptor: they hold the command's variables, which no
 * process list should show.
 */
export function spawnLauncher(sandbox: SandboxSpawn): Launcher {
  const { options, argv, stdio, groups, filter, inherited } = sandbox;
  const [program = "", ...prefix] = sandbox.launcher;
  const descriptors = [
    ...["--args", String(ARGUMENTS_FD)],
    ...["--info-fd", String(INFO_FD)],
    ...["--block-fd", String(GATE_FD)],
    ...["--seccomp", String(FILTER_FD)],
  ];
  const cover = openSync("/dev/null", "r");
  try {
    const child = spawn(program, [...prefix, ...descriptors, "--", ...argv], {
      env: {},
      stdio: [...stdio, "pipe", "pipe", "pipe", filter, ...coverDescriptors(inherited, cover)],
    });
    // Until it has its options it does nothing, so what it starts is born where it belongs.
    if (child.pid !== undefined) placeOrKill(child, child.pid, groups);
    sendOptions(pipeOf(child, ARGUMENTS_FD), options);
    return { child, info: pipeOf(child, INFO_FD), gate: pipeOf(child, GATE_FD) };
  } finally {
    closeSync(cover);
  }
}

function placeOrKill(child: ChildProcess, pid: number, groups: readonly string[]): void {
  try {
    placeLauncher(pid, groups);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/**
 * Entries of `stdio` after our own that put /dev/null over descriptors which the terminal binding
 * opens without close-on-exec. Node closes all others by itself.
 */
function coverDescriptors(inherited: ReadonlySet<number>, cover: number): Stdio[] {
  const first = FILTER_FD + 1;
  const last = Math.max(-1, ...inherited);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    inherited.has(first + index) ? cover : "ignore",
  );
}

function pipeOf(child: ChildProcess, descriptor: number): Duplex {
  return child.stdio[descriptor] as Duplex;
}

/** A launcher that dies early closes the pipe; its exit is what gets reported. */
function sendOptions(pipe: Duplex, options: readonly string[]): void {
  pipe.on("error", () => {});
  pipe.end(options.map((option) => `${option}\0`).join(""));
}

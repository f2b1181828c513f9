import { type ChildProcess, spawn as spawnChild } from "node:child_process";
import { constants } from "node:os";
import { spawn as spawnPty } from "@lydell/node-pty";
import type { StreamName } from "../../../src/contract/process.ts";
import type { ProcessStart } from "../../../src/exec-server/ports.ts";
import { findProgram } from "./find-program.ts";

/** What a running program tells. */
export interface ChildEvents {
  output(stream: StreamName, bytes: Uint8Array): void;
  exited(exitCode: number): void;
  closed(): void;
}

/** A running program: on pipes or on a terminal, both alike. */
export interface Child {
  readonly pid: number;
  /** Resolves when the bytes have been handed over. */
  write(bytes: Uint8Array): Promise<void>;
  pause(): void;
  resume(): void;
}

/** How long pipes are read on after the exit before it is reported. */
const DRAIN_MS = 20;

export function startChild(start: ProcessStart, events: ChildEvents): Promise<Child> {
  return start.tty === null ? startOnPipes(start, events) : startOnTerminal(start, events);
}

async function startOnPipes(start: ProcessStart, events: ChildEvents): Promise<Child> {
  const [program = "", ...args] = start.argv;
  const child = spawnChild(program, args, {
    cwd: start.cwd,
    env: { ...start.env },
    argv0: start.arg0 ?? program,
    detached: true,
    stdio: [start.pipeStdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  await new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.on("error", () => {});
  report(child, events);
  return {
    pid: child.pid ?? 0,
    write: (bytes) => writeTo(child, bytes),
    pause: () => void [child.stdout?.pause(), child.stderr?.pause()],
    resume: () => void [child.stdout?.resume(), child.stderr?.resume()],
  };
}

function report(child: ChildProcess, events: ChildEvents): void {
  child.stdout?.on("data", (bytes: Buffer) => events.output("stdout", bytes));
  child.stderr?.on("data", (bytes: Buffer) => events.output("stderr", bytes));
  child.stdin?.on("error", () => {});
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("exit", (code, signal) => {
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    const drained = new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
    void Promise.race([closed, drained])
      .then(() => events.exited(exitCode))
      .then(() => closed)
      .then(() => events.closed());
  });
}

async function writeTo({ stdin }: ChildProcess, bytes: Uint8Array): Promise<void> {
  if (stdin === null || stdin.write(bytes) || stdin.destroyed) return;
  await new Promise<void>((resolve) => {
    stdin.once("drain", resolve);
    stdin.once("close", resolve);
  });
}

/** The binding learns of a missing program too late to say so. */
async function startOnTerminal(start: ProcessStart, events: ChildEvents): Promise<Child> {
  const program = await findProgram(start);
  const pty = spawnPty(program, start.argv.slice(1), {
    cols: start.tty?.cols ?? 80,
    rows: start.tty?.rows ?? 24,
    cwd: start.cwd,
    env: { ...start.env },
    encoding: null,
  });
  pty.onData((data) => events.output("pty", Buffer.from(data)));
  pty.onExit(({ exitCode, signal }) => {
    events.exited(signal ? 1 : exitCode);
    events.closed();
  });
  return {
    pid: pty.pid,
    write: async (bytes) => pty.write(bytes as unknown as string),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
  };
}

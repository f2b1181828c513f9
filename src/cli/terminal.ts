import { spawnSync } from "node:child_process";
import type { RemoteProcess } from "../client/index.ts";
import type { TerminalSize } from "../contract/process.ts";
import type { Input, Output } from "./command.ts";

/** The size of our terminal; the classic one when there is none. */
export function terminalSize(stdout: Output): TerminalSize {
  return { rows: stdout.rows || 24, cols: stdout.columns || 80 };
}

/** Keys go to the command, Ctrl-C too, and its output to the screen, as they are. */
export function rawMode(stdin: Input): Disposable {
  if (!stdin.isTTY) return { [Symbol.dispose]() {} };
  stdin.setRawMode?.(true);
  // Node's raw mode still makes a line feed return the carriage, which garbles full-screen programs.
  // Where there is no stty, that is how it stays.
  spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
  return {
    [Symbol.dispose]() {
      stdin.setRawMode?.(false);
    },
  };
}

/** Gives the command's terminal the size of ours whenever that changes. */
export function followSize(
  stdout: Output,
  process: RemoteProcess,
  signal: AbortSignal,
): Disposable {
  // A resize that comes too late for the process is no failure, and one that is lost is soon
  // followed by another.
  const resize = () => void process.resize(terminalSize(stdout), { signal }).catch(() => false);
  stdout.on("resize", resize);
  return {
    [Symbol.dispose]() {
      stdout.off("resize", resize);
    },
  };
}

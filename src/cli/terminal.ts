import type { RemoteProcess } from "../client/index.ts";
import type { TerminalSize } from "../contract/process.ts";
import type { Input, Output } from "./command.ts";

/** The size of our terminal; the classic one when there is none. */
export function terminalSize(stdout: Output): TerminalSize {
  return { rows: stdout.rows || 24, cols: stdout.columns || 80 };
}

/** Every key goes to the command, Ctrl-C too, until this is disposed. */
export function rawMode(stdin: Input): Disposable {
  if (stdin.isTTY) stdin.setRawMode?.(true);
  return {
    [Symbol.dispose]() {
      if (stdin.isTTY) stdin.setRawMode?.(false);
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

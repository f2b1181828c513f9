import { readFileSync } from "node:fs";
import type { Variables } from "../../contract/ids.ts";

/** Bytes of one argument or variable, its ending NUL included. @see execve(2): MAX_ARG_STRLEN */
const MAX_STRING_BYTES = 131_072;
/** What the kernel gives all of them together: a quarter of the stack, within these bounds. */
const MIN_TOTAL_BYTES = 131_072;
const MAX_TOTAL_BYTES = 6_291_456;
/** For each string a pointer; and what the launcher adds of its own. */
const POINTER_BYTES = 8;
const LAUNCHER_BYTES = 8_192;

/** Whether the kernel would take a program's arguments and variables. */
export function fitsExec(argv: readonly string[], variables: Variables): boolean {
  const strings = [
    ...argv.map((argument) => Buffer.byteLength(argument)),
    ...Object.entries(variables).map(
      ([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value) + 1,
    ),
  ].map((bytes) => bytes + 1);
  const total = strings.reduce((sum, bytes) => sum + bytes + POINTER_BYTES, LAUNCHER_BYTES);
  return total <= totalBytes() && strings.every((bytes) => bytes <= MAX_STRING_BYTES);
}

function totalBytes(): number {
  const limits = readFileSync("/proc/self/limits", "latin1");
  const stack = Number(/^Max stack size +([0-9]+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(Math.max(stack / 4, MIN_TOTAL_BYTES), MAX_TOTAL_BYTES);
}

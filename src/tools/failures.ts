import { OutworkError, systemCode } from "../errors.ts";
import { quote } from "./json/quote.ts";

const MISSING = "No such file or directory (os error 2)";

/** How models are used to reading the system's errors. A folder that is a file counts as missing. */
const SYSTEM_ERRORS = new Map([
  ["ENOENT", MISSING],
  ["ENOTDIR", MISSING],
  ["EPERM", "Operation not permitted (os error 1)"],
  ["E2BIG", "Argument list too long (os error 7)"],
  ["EAGAIN", "Resource temporarily unavailable (os error 11)"],
  ["ENOMEM", "Cannot allocate memory (os error 12)"],
  ["EACCES", "Permission denied (os error 13)"],
  ["ENAMETOOLONG", "File name too long (os error 36)"],
  ["ELOOP", "Too many levels of symbolic links (os error 40)"],
]);

/** The session never was, has ended, or had to make room. */
export function unknownSession(id: number): OutworkError {
  return new OutworkError("tool-failed", `write_stdin failed: Unknown process id ${id}`);
}

/** There is no terminal to write to. */
export function stdinClosed(): OutworkError {
  const advice = "rerun exec_command with tty=true to keep stdin open";
  const message = `write_stdin failed: stdin is closed for this session; ${advice}`;
  return new OutworkError("tool-failed", message);
}

/** The terminal is broken. */
export function writeFailed(cause: unknown): OutworkError {
  const message = "write_stdin failed: failed to write to stdin";
  return new OutworkError("tool-failed", message, { cause });
}

export function terminalDisabled(): OutworkError {
  const message = "TTY execution is disabled by config; omit `tty` or set it to false.";
  return new OutworkError("tool-failed", message);
}

export function unknownEnvironment(id: string): OutworkError {
  return new OutworkError("tool-failed", `unknown turn environment id \`${id}\``);
}

/** What to throw when a start failed. Refusals and faults stay as they are. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof OutworkError) || error.code !== "start-failed") return error;
  const code = error.facts.system_code ?? systemCode(error.cause);
  const reason = SYSTEM_ERRORS.get(String(code)) ?? error.message;
  const rejected = `Rejected(${quote(`Failed to create unified exec process: ${reason}`)})`;
  const message = `exec_command failed: CreateProcess { message: ${quote(rejected)} }`;
  return new OutworkError("tool-failed", message, { facts: error.facts, cause: error });
}

import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Variables } from "../../contract/ids.ts";
import { OutworkError } from "../../errors.ts";
import { firstBytes } from "../first-bytes.ts";
import { type EnvironmentView, ViewError } from "../view.ts";
import { fitsExec } from "./argument-size.ts";

/** What kept a program from being started, and what the system would have called it. */
const START_FAILURES = {
  "program-not-found": "ENOENT",
  "program-not-executable": "EACCES",
  "interpreter-not-found": "ENOENT",
  "arguments-too-long": "E2BIG",
  "cwd-not-found": "ENOENT",
  "cwd-not-a-directory": "ENOTDIR",
  "cwd-not-accessible": "EACCES",
} as const;
type StartFailure = keyof typeof START_FAILURES;

/** Where programs are looked for when `PATH` is not set. @see execvp(3) */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * Looks at a command before it is handed to the sandbox, so that a failed start has a name and is
 * not mistaken for a program that exits with 127. Every refusal says which path was tried.
 * @throws `start-failed` with `kind` and `path`
 */
export function checkStart(
  view: EnvironmentView,
  argv: readonly string[],
  cwd: string,
  variables: Variables,
): void {
  checkFolder(view, cwd);
  const [program = ""] = argv;
  checkProgram(view, program, cwd, variables.PATH ?? DEFAULT_PATH);
  if (fitsExec(argv, variables)) return;
  const what = "has longer arguments or variables than the system can pass to a program";
  throw startFailed("arguments-too-long", program, what);
}

function checkProgram(
  view: EnvironmentView,
  program: string,
  cwd: string,
  searchPath: string,
): void {
  const candidates = program.includes("/")
    ? [resolve(cwd, program)]
    : searchPath.split(":").map((folder) => resolve(cwd, folder, program));
  const found = candidates.flatMap((path) => programAt(view, path) ?? []);
  if (found.some(({ executable }) => executable)) return;
  const where = program.includes("/") ? candidates[0] : `any folder of PATH (${searchPath})`;
  if (found[0])
    throw startFailed("program-not-executable", found[0].path, "is not an executable file");
  throw startFailed("program-not-found", program, `does not exist at ${where}`);
}

function checkFolder(view: EnvironmentView, cwd: string): void {
  let located: string;
  try {
    located = view.follow(cwd);
  } catch (error) {
    throw folderFailure(cwd, error);
  }
  if (!statSync(located).isDirectory()) {
    throw startFailed("cwd-not-a-directory", cwd, "is not a folder, so nothing can run in it");
  }
}

function folderFailure(cwd: string, error: unknown): OutworkError {
  const code = error instanceof ViewError ? error.code : "ENOENT";
  if (code === "ENOTDIR") return startFailed("cwd-not-a-directory", cwd, "leads through a file");
  if (code === "EACCES") return startFailed("cwd-not-accessible", cwd, "may not be entered");
  return startFailed("cwd-not-found", cwd, "does not exist, so nothing can run in it");
}

function programAt(
  view: EnvironmentView,
  path: string,
): { path: string; executable: boolean } | null {
  try {
    const located = view.follow(path);
    const executable = isExecutable(located);
    if (executable) checkInterpreter(view, located, path);
    return { path, executable };
  } catch (error) {
    if (error instanceof OutworkError) throw error;
    return null;
  }
}

function isExecutable(located: string): boolean {
  if (!statSync(located).isFile()) return false;
  try {
    accessSync(located, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The kernel reads as much of a script's first line. @see execve(2) */
const MAX_INTERPRETER_LINE = 255;

function checkInterpreter(view: EnvironmentView, located: string, path: string): void {
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(located, MAX_INTERPRETER_LINE))?.[1];
  if (!interpreter?.startsWith("/")) return;
  try {
    view.follow(interpreter);
  } catch {
    throw startFailed(
      "interpreter-not-found",
      path,
      `names the interpreter ${interpreter}, which does not exist`,
    );
  }
}

function startFailed(kind: StartFailure, path: string, what: string): OutworkError {
  const code = START_FAILURES[kind];
  const cause = Object.assign(new Error(code), { code });
  return new OutworkError("start-failed", `${path} ${what}.`, { facts: { kind, path }, cause });
}

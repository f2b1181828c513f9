import { posix } from "node:path";
import { OutworkError } from "../errors.ts";

/** Paths of the shells that exist where commands run. */
export interface Shells {
  /** The user's own shell: what runs when no other is asked for. */
  readonly default: string;
  readonly sh: string;
  readonly bash?: string;
  readonly zsh?: string;
}

/**
 * Picks a shell. What a model names is a hint of kind and never a path to trust: one that is not
 * known or not there is `sh`. Naming none is not the same as naming bash.
 */
export function chooseShell(requested: string | null | undefined, shells: Shells): string {
  if (requested === null || requested === undefined) return shells.default;
  const kind = kindOf(requested);
  if (kind !== "bash" && kind !== "zsh") return shells.sh;
  if (kindOf(shells.default) === kind) return shells.default;
  return shells[kind] ?? shells.sh;
}

/** The command line that has `shell` run `cmd`. */
export function shellArgv(shell: string, cmd: string, login: boolean): string[] {
  switch (kindOf(shell)) {
    case "pwsh":
    case "powershell":
      return [shell, ...(login ? [] : ["-NoProfile"]), "-Command", cmd];
    case "cmd":
      return [shell, "/c", cmd];
    default:
      return [shell, login ? "-lc" : "-c", cmd];
  }
}

/**
 * Is it a login shell? As requested, or else wherever that is allowed.
 * @throws `tool-failed` when one is requested where it is not allowed
 */
export function chooseLogin(requested: boolean | null | undefined, allowed: boolean): boolean {
  if (requested === true && !allowed) {
    const message = "login shell is disabled by config; omit `login` or set it to false.";
    throw new OutworkError("tool-failed", message);
  }
  return requested ?? allowed;
}

function kindOf(shell: string): string {
  return posix.parse(shell).name.toLowerCase();
}

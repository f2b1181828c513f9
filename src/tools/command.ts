import type { ResolvedExecCommand } from "../contract/agent.ts";
import type { Variables } from "../contract/ids.ts";
import { OutworkError } from "../errors.ts";
import { startFailure, terminalDisabled } from "./failures.ts";
import type { ToolStart } from "./ports.ts";
import { chooseLogin, chooseShell, type Shells, shellArgv } from "./shell.ts";
import { toolVariables } from "./variables.ts";
import { joinWorkdir } from "./workdir.ts";

/** Where commands run, and what they may ask for. */
export interface CommandSettings {
  readonly shells: Shells;
  /** Absolute; the base of relative working directories. */
  readonly workspace: string;
  /** What every command of the environment sees. */
  readonly variables: Variables;
  readonly allowLogin: boolean;
  readonly allowTerminal: boolean;
}

/**
 * What to start for a call.
 * @throws `tool-failed` when it asks for something that is not allowed or cannot be passed on
 */
export function commandOf(args: ResolvedExecCommand, settings: CommandSettings): ToolStart {
  const tty = args.tty ?? false;
  if (tty && !settings.allowTerminal) throw terminalDisabled();
  const login = chooseLogin(args.login, settings.allowLogin);
  const argv = shellArgv(chooseShell(args.shell, settings.shells), args.cmd, login);
  const cwd = joinWorkdir(settings.workspace, args.workdir);
  refuseNul([...argv, cwd]);
  const variables: ToolStart["variables"] = (network) => toolVariables(settings.variables, network);
  return { argv, cwd, tty, policy: args.policy, variables };
}

function refuseNul(strings: readonly string[]): void {
  if (!strings.some((string) => string.includes("\0"))) return;
  throw startFailure(new OutworkError("start-failed", "nul byte found in provided data"));
}

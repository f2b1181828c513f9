import type { Variables } from "../contract/ids.ts";
import type { EffectivePolicy } from "../contract/policy.ts";

/** Ends the wait, never the process. */
export interface WaitOptions {
  readonly signal: AbortSignal;
}

/** A command that is to be started for a model. */
export interface ToolStart {
  readonly argv: readonly string[];
  /** Absolute; whether it exists is for the starter to find out. */
  readonly cwd: string;
  /** True: on a terminal of 24 rows and 80 columns. False: pipes, and nothing to read on stdin. */
  readonly tty: boolean;
  /** What the caller asks for; undefined: the environment's policy as it is. */
  readonly policy: EffectivePolicy | undefined;
  /** All variables of the command, once the policy has said what network it has. */
  variables(network: EffectivePolicy["network"]): Variables;
}

/** A running command, for as long as its session knows it. */
export interface ToolProcess {
  readonly id: string;
  readonly tty: boolean;
  /** What is enforced on it. */
  readonly policy: EffectivePolicy;
  /**
   * Standard output and error in order of arrival, from the first byte. Read once, and perhaps not
   * to its end. Ends when nothing more can arrive, which may be long after the exit; never throws.
   */
  readonly output: AsyncIterable<Uint8Array>;
  /** The exit code of the main process, once known. Never rejects. */
  readonly exited: Promise<number>;
  /** Resolves once the terminal has the bytes; rejects when it cannot get them any more. */
  write(bytes: Uint8Array, options: WaitOptions): Promise<void>;
  /** SIGINT to the process group. Harmless once the process has ended. */
  interrupt(): Promise<void>;
  /** Kills the process and everything it started, at once. */
  terminate(): void;
}

/**
 * Starts one command.
 * @throws `start-failed` with the system's code (`ENOENT`, …) as the fact `system_code` or as the
 *   `code` of the cause
 * @throws `policy-denied`, `ceiling-exceeded`, `enforcement-missing` as the policy has it
 */
export type StartToolProcess = (request: ToolStart, options: WaitOptions) => Promise<ToolProcess>;

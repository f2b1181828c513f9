/** How long a command is waited for when the call does not say. */
const DEFAULT_COMMAND_MS = 10_000;
/** How long a reaction to input is waited for when the call does not say. */
const DEFAULT_WRITE_MS = 250;
const MIN_MS = 250;
const MAX_MS = 30_000;
const MIN_POLL_MS = 5_000;

/** The longest that a poll may wait, unless configured otherwise. */
export const MAX_POLL_MS = 300_000;

type Requested = number | null | undefined;

/** How long `exec_command` waits, in milliseconds. */
export function commandYieldMs(requested: Requested): number {
  return clamp(requested ?? DEFAULT_COMMAND_MS, MIN_MS, MAX_MS);
}

/** How long `write_stdin` waits after it has written, in milliseconds. */
export function writeYieldMs(requested: Requested): number {
  return clamp(requested ?? DEFAULT_WRITE_MS, MIN_MS, MAX_MS);
}

/** How long `write_stdin` waits when there is nothing to write, in milliseconds. */
export function pollYieldMs(requested: Requested, maxMs: number): number {
  return clamp(requested ?? DEFAULT_WRITE_MS, MIN_POLL_MS, Math.max(MIN_POLL_MS, maxMs));
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

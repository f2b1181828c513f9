const FIRST_MS = 100;
/** The longest pause between two tries, in milliseconds. */
export const MAX_PAUSE_MS = 5_000;

/**
 * The pause before try number `failures + 1`, in milliseconds: doubled each time up to
 * MAX_PAUSE_MS, less up to half of it at random, so that many clients do not come back at once.
 */
export function pauseMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(MAX_PAUSE_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return Math.round(full * (1 - random() / 2));
}

import { setTimeout as sleep } from "node:timers/promises";
import { pauseMs } from "./back-off.ts";

interface RepeatOptions {
  /** How many further tries after the first. */
  readonly retries: number;
  readonly again: (error: unknown) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Runs `attempt` until it succeeds, fails for good, or has used up its tries. */
export async function repeated<T>(
  attempt: (failures: number) => Promise<T>,
  { retries, again, signal }: RepeatOptions,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await attempt(failures);
    } catch (error) {
      failures += 1;
      if (failures > retries || !again(error)) throw error;
      await sleep(pauseMs(failures), undefined, signal === undefined ? {} : { signal });
    }
  }
}

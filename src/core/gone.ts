import type { EnvironmentId, LossReason } from "../contract/index.ts";
import { OutworkError } from "../errors.ts";

/** Why an environment is no more: taken away on purpose, or lost. */
export type EndReason = "removed" | "expired" | "idle" | LossReason;

/** How and when an environment ended. */
export interface Ending {
  readonly reason: EndReason;
  /** ISO 8601. */
  readonly at: string;
}

/** The ending that happens now. */
export function endingNow(reason: EndReason): Ending {
  return { reason, at: new Date().toISOString() };
}

/** What every call on an ended environment is answered with. */
export function environmentGone(id: EnvironmentId, { reason, at }: Ending): OutworkError {
  return new OutworkError(
    "environment-gone",
    `The environment ${id} has ended at ${at}: ${reason}. Its id is free once it is removed.`,
    { facts: { environment_id: id, reason, at } },
  );
}

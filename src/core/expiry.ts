import timers from "node:timers/promises";
import { asError } from "../errors.ts";
import type { Log } from "./log.ts";

/** Whether a process still runs can only be asked, so it is asked this often. */
const LOOK_MS = 30_000;
/** After a removal that failed. */
const RETRY_MS = 30_000;

/** What an environment's end of life depends on; instants in epoch milliseconds. */
export interface Life {
  /** End of its lifetime; null: it has none. */
  readonly expiresAt: number | null;
  /** How long it may be idle; null: for ever. */
  readonly idleTimeoutMs: number | null;
  /** Since when it is idle; null while it is in use. */
  idleSince(): Promise<number | null>;
  /** Removes it. */
  end(reason: "expired" | "idle"): Promise<void>;
}

/** Watches one life until it is over or `signal` fires. Never rejects. */
export async function watchExpiry(life: Life, signal: AbortSignal, log: Log): Promise<void> {
  if (life.expiresAt === null && life.idleTimeoutMs === null) return;
  while (!signal.aborted) {
    try {
      const next = await look(life);
      if (next === "over") return;
      await timers.setTimeout(next, undefined, { signal, ref: false });
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: asError(error) }, "could not remove an expired environment");
      await timers.setTimeout(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

/** Ends the life if it is over; otherwise how many milliseconds to wait before looking again. */
async function look(life: Life): Promise<number | "over"> {
  const left = (life.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now();
  if (left <= 0) return over(life, "expired");
  const idleLeft = await idleTimeLeft(life);
  if (idleLeft <= 0) return over(life, "idle");
  return Math.min(left, idleLeft, LOOK_MS);
}

async function idleTimeLeft(life: Life): Promise<number> {
  if (life.idleTimeoutMs === null) return Number.POSITIVE_INFINITY;
  const since = await life.idleSince();
  return since === null ? life.idleTimeoutMs : since + life.idleTimeoutMs - Date.now();
}

async function over(life: Life, reason: "expired" | "idle"): Promise<"over"> {
  await life.end(reason);
  return "over";
}

import { setTimeout as sleep } from "node:timers/promises";
import { OutworkError } from "../errors.ts";
import { pauseMs } from "./back-off.ts";
import type { ProcessEvent } from "./output-records.ts";

/** Connects to the events after one seq. The iterable ends or throws when the connection breaks. */
export type OpenEvents = (afterSeq: number) => Promise<AsyncIterable<ProcessEvent>>;

export interface OutputOptions {
  /** Go on after this event; 0, the default, is the beginning. */
  readonly afterSeq?: number | undefined;
  /** Ends the reading, never the process. */
  readonly signal?: AbortSignal | undefined;
  /** Give up when no connection could be made for this long, in ms. Omitted: never. */
  readonly patienceMs?: number | undefined;
}

/**
 * Every event after `afterSeq`, each exactly once and in order, up to and including `closed`,
 * over as many connections as it takes. A connection that ends without `closed` is a broken one.
 */
export async function* followOutput(
  open: OpenEvents,
  { afterSeq = 0, signal, patienceMs = Number.POSITIVE_INFINITY }: OutputOptions,
): AsyncGenerator<ProcessEvent> {
  const outage = new Outage(patienceMs, signal);
  let seq = afterSeq;
  for (;;) {
    try {
      const events = await open(seq);
      outage.connected();
      for await (const event of events) {
        seq = nextSeq(event, seq);
        outage.over();
        yield event;
        if (event.type === "closed") return;
      }
      throw new OutworkError("service-unreachable", "the output ended without `closed`");
    } catch (failure) {
      await outage.endured(failure);
    }
  }
}

/** What a reader lives through between the last event and the next. */
class Outage {
  readonly #patienceMs: number;
  readonly #signal: AbortSignal | undefined;
  #breaks = 0;
  #lastContactAt = performance.now();

  constructor(patienceMs: number, signal: AbortSignal | undefined) {
    this.#patienceMs = patienceMs;
    this.#signal = signal;
  }

  connected(): void {
    this.#lastContactAt = Number.POSITIVE_INFINITY;
  }

  over(): void {
    this.#breaks = 0;
  }

  /** Resolves when it is time to connect again; throws when there is no point in it. */
  async endured(failure: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    const now = performance.now();
    this.#lastContactAt = Math.min(this.#lastContactAt, now);
    if (!mayResume(failure) || now - this.#lastContactAt > this.#patienceMs) throw failure;
    if (this.#breaks > 0) await sleep(pauseMs(this.#breaks), undefined, { signal: this.#signal });
    this.#breaks += 1;
  }
}

/** The last seq that `event` stands for, once it is sure that it follows on `seq`. */
function nextSeq(event: ProcessEvent, seq: number): number {
  const first = event.type === "omitted" ? event.from_seq : event.seq;
  if (first === seq + 1) return event.type === "omitted" ? event.to_seq : event.seq;
  throw new OutworkError("internal", `event ${first} of the output came after event ${seq}`);
}

function mayResume(failure: unknown): boolean {
  return failure instanceof OutworkError && failure.retryable;
}

import type { OutputTotals } from "../../contract/process.ts";
import { OutworkError } from "../../errors.ts";
import type { AgentProcess } from "./agent-process.ts";

/** A closed process stays readable this long, unless newer ones need the room. */
const RETENTION_MS = 15 * 60_000;
/** Closed processes kept at once, and output they may hold together, in bytes. */
const MAX_CLOSED = 1_000;
const MAX_CLOSED_BYTES = 67_108_864;
/** Ids of expired processes that are still told apart from ids never used. */
const MAX_TOMBSTONES = 10_000;

interface Kept {
  readonly process: AgentProcess;
  readonly timer: NodeJS.Timeout;
  /** As they were counted: what is held gets less when a late reader has taken it. */
  readonly bytes: number;
}

/** Decides how long the record of a closed process stays, and remembers those that have gone. */
export class Retention {
  readonly #forget: (processId: string) => void;
  readonly #closed = new Map<string, Kept>();
  readonly #tombstones = new Map<string, { totals: OutputTotals; expired_at: string }>();
  #heldBytes = 0;

  constructor(forget: (processId: string) => void) {
    this.#forget = forget;
  }

  /** Starts the clock when the process closes. */
  track(process: AgentProcess): void {
    const { log } = process;
    const onAppend = () => {
      if (!log.closed) return;
      log.off("append", onAppend);
      this.#keep(process);
    };
    log.on("append", onAppend);
    onAppend();
  }

  /** The error for an id that names no process now. */
  missing(processId: string): OutworkError {
    const gone = this.#tombstones.get(processId);
    if (gone) {
      return new OutworkError(
        "process-gone",
        `The record of process ${processId} expired at ${gone.expired_at}; it had printed ${gone.totals.total_bytes} bytes.`,
        { facts: { process_id: processId, expired_at: gone.expired_at, output: gone.totals } },
      );
    }
    return new OutworkError(
      "process-not-found",
      `There is no process ${processId} in this environment.`,
      { facts: { process_id: processId } },
    );
  }

  #keep(process: AgentProcess): void {
    const { processId } = process.description;
    const timer = setTimeout(() => this.#expire(processId), RETENTION_MS);
    timer.unref();
    const bytes = process.log.heldBytes;
    this.#tombstones.delete(processId);
    this.#closed.set(processId, { process, timer, bytes });
    this.#heldBytes += bytes;
    this.#makeRoom(processId);
  }

  /** The newest stays, however much it holds: nobody has had the time to read it. */
  #makeRoom(newest: string): void {
    for (const processId of this.#closed.keys()) {
      if (this.#closed.size <= MAX_CLOSED && this.#heldBytes <= MAX_CLOSED_BYTES) return;
      if (processId !== newest) this.#expire(processId);
    }
  }

  #expire(processId: string): void {
    const kept = this.#closed.get(processId);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.#closed.delete(processId);
    this.#heldBytes -= kept.bytes;
    this.#bury(processId, kept.process.log.totals());
    this.#forget(processId);
  }

  #bury(processId: string, totals: OutputTotals): void {
    this.#tombstones.set(processId, { totals, expired_at: new Date().toISOString() });
    const [oldest] = this.#tombstones.keys();
    if (this.#tombstones.size > MAX_TOMBSTONES && oldest) this.#tombstones.delete(oldest);
  }
}

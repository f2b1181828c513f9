import { EventEmitter } from "node:events";
import type { EndCause, OutputTotals, StreamName } from "../../contract/process.ts";
import { type Chunk, ChunkStore } from "./chunk-store.ts";

/** One numbered event of a process. `seq` counts all of them from 1 without gaps. */
export type LogEvent =
  | Chunk
  | { type: "omitted"; from_seq: number; to_seq: number; resume_offset: number }
  | { type: "exited"; seq: number; exit_code: number; cause: EndCause }
  | { type: "closed"; seq: number; total_bytes: number; dropped_bytes: number };

type End = Extract<LogEvent, { type: "exited" | "closed" }>;

/** How long a reader that vanished, or has not come yet, holds back a process that waits for it. */
export const READER_GRACE_MS = 30_000;

/**
 * Whether the process is made to wait for its readers, and for how long for one that is not there:
 * at its start, or after the last one has gone.
 */
export type ReaderRule =
  | { readonly kind: "never-wait" }
  | { readonly kind: "wait-for"; readonly absentMs: number };

interface Reader {
  /** The last event it has taken. */
  seq: number;
}

/**
 * A process's output: numbered events, any number of readers at their own pace, and an exact account
 * of what was dropped. Under the rule `wait-for` nothing is dropped that a reader still needs: the log
 * is `full` when it holds the limit of that, and the process is made to wait. As much again is kept of
 * what all have taken, since what is on its way to a reader that vanishes has not arrived.
 *
 * Emits `append` when something was added and `drained` when it is no longer full.
 */
export class OutputLog extends EventEmitter<{ append: []; drained: [] }> {
  readonly #rule: ReaderRule;
  readonly #chunks: ChunkStore;
  readonly #ends: End[] = [];
  readonly #readers = new Set<Reader>();
  #expected: { reader: Reader; timer: NodeJS.Timeout } | null = null;
  #nextSeq = 1;

  constructor(limitBytes: number, rule: ReaderRule) {
    super();
    this.setMaxListeners(0);
    this.#chunks = new ChunkStore(limitBytes);
    this.#rule = rule;
    this.#expectReader(0);
  }

  get closed(): boolean {
    return this.#ends.at(-1)?.type === "closed";
  }

  /** Bytes held for readers. */
  get heldBytes(): number {
    return this.#chunks.totalBytes - this.#chunks.droppedBytes;
  }

  /** True when the process has to wait until a reader has taken something. */
  get full(): boolean {
    return this.#waits && this.#readers.size > 0 && this.#chunks.isOverAfter(this.#slowest());
  }

  get readerCount(): number {
    return this.#readers.size - (this.#expected ? 1 : 0);
  }

  /** The event of the process's exit, once there is one. */
  get exit(): Extract<End, { type: "exited" }> | null {
    const [first] = this.#ends;
    return first?.type === "exited" ? first : null;
  }

  get #waits(): boolean {
    return this.#rule.kind === "wait-for";
  }

  totals(): OutputTotals {
    return {
      next_seq: this.#nextSeq,
      first_seq: this.#chunks.oldest?.seq ?? this.#nextSeq,
      total_bytes: this.#chunks.totalBytes,
      dropped_bytes: this.#chunks.droppedBytes,
    };
  }

  /** The chunks after `afterSeq` that are held now. */
  held(afterSeq: number): readonly Chunk[] {
    return this.#chunks.allAfter(afterSeq);
  }

  append(stream: StreamName, bytes: Buffer): void {
    const offset = this.#chunks.totalBytes;
    this.#chunks.push({ type: "output", seq: this.#nextSeq++, stream, offset, bytes });
    this.#evict();
    this.emit("append");
  }

  exited(exitCode: number, cause: EndCause): void {
    this.#ends.push({ type: "exited", seq: this.#nextSeq++, exit_code: exitCode, cause });
    this.emit("append");
  }

  close(): void {
    this.#stopExpecting();
    const { total_bytes, dropped_bytes } = this.totals();
    this.#ends.push({ type: "closed", seq: this.#nextSeq++, total_bytes, dropped_bytes });
    this.emit("append");
  }

  /** Every event after `afterSeq` in order, as they come, up to `closed` or until `signal` aborts. */
  async *follow(afterSeq: number, signal: AbortSignal): AsyncGenerator<LogEvent> {
    this.#stopExpecting();
    const reader = { seq: Math.min(afterSeq, this.#nextSeq - 1) };
    this.#readers.add(reader);
    try {
      while (!signal.aborted) {
        const event = this.#after(reader.seq);
        if (event === null) {
          if (this.closed) return;
          await this.#appended(signal);
          continue;
        }
        yield event;
        this.#take(reader, event);
        if (event.type === "closed") return;
      }
    } finally {
      this.#leave(reader);
    }
  }

  #take(reader: Reader, event: LogEvent): void {
    reader.seq = event.type === "omitted" ? event.to_seq : event.seq;
    if (this.#waits) this.#relieve();
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0 && !this.closed) this.#expectReader(reader.seq);
    this.#relieve();
  }

  /** Keeps the place of a reader that is expected, for a while. */
  #expectReader(seq: number): void {
    if (this.#rule.kind === "never-wait" || this.#rule.absentMs === 0) return;
    const reader = { seq };
    const timer = setTimeout(() => this.#stopExpecting(), this.#rule.absentMs);
    timer.unref();
    this.#readers.add(reader);
    this.#expected = { reader, timer };
  }

  #stopExpecting(): void {
    if (!this.#expected) return;
    clearTimeout(this.#expected.timer);
    this.#readers.delete(this.#expected.reader);
    this.#expected = null;
    // A reader that attaches in this very turn must find what was kept for it.
    queueMicrotask(() => this.#relieve());
  }

  #relieve(): void {
    this.#evict();
    if (!this.full) this.emit("drained");
  }

  /** Drops the oldest chunks over the limit, but none that somebody may wait for and does. */
  #evict(): void {
    const taken = this.#waits ? this.#slowest() : Number.POSITIVE_INFINITY;
    while (this.#chunks.isOverUpTo(taken)) this.#chunks.dropOldest();
  }

  #slowest(): number {
    let slowest = Number.POSITIVE_INFINITY;
    for (const { seq } of this.#readers) slowest = Math.min(slowest, seq);
    return slowest;
  }

  #after(seq: number): LogEvent | null {
    const end = this.#ends.find((event) => event.seq > seq);
    if (seq < this.#chunks.lastDroppedSeq) return this.#omitted(seq, end);
    const chunk = this.#chunks.after(seq);
    if (chunk && (!end || chunk.seq < end.seq)) return chunk;
    return end ?? null;
  }

  /** The dropped events after `seq`, up to an end event among them: those are never dropped. */
  #omitted(seq: number, end: End | undefined): LogEvent {
    if (end?.seq === seq + 1) return end;
    const { lastDroppedSeq, oldest, totalBytes } = this.#chunks;
    return {
      type: "omitted",
      from_seq: seq + 1,
      to_seq: Math.min(lastDroppedSeq, end ? end.seq - 1 : lastDroppedSeq),
      resume_offset: oldest?.offset ?? totalBytes,
    };
  }

  #appended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.off("append", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.on("append", done);
      signal.addEventListener("abort", done);
    });
  }
}

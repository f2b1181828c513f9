import { EventEmitter, once } from "node:events";
import type { StreamName } from "../../../src/contract/process.ts";
import type { OutputChunk, ProcessEvent } from "../../../src/exec-server/ports.ts";

const RETAINED_BYTES = 1_048_576;
const RETAINED_CHUNKS = 50_000;
const CHUNK_BYTES = 8192;
/** A follower this far behind holds the process up. */
const LAG_BYTES = 524_288;

/** The numbered events of one process: output while it is retained, exit and close for ever. */
export class EventLog {
  readonly #news = new EventEmitter().setMaxListeners(0);
  readonly #followers = new Set<{ afterSeq: number }>();
  readonly #chunks: OutputChunk[] = [];
  #heldBytes = 0;
  #nextSeq = 1;
  exit: { readonly seq: number; readonly exitCode: number } | null = null;
  closedSeq: number | null = null;

  get nextSeq(): number {
    return this.#nextSeq;
  }

  append(stream: StreamName, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES);
      this.#chunks.push({ seq: this.#nextSeq++, stream, bytes: chunk });
      this.#heldBytes += chunk.length;
    }
    this.#evict();
    this.#news.emit("news");
  }

  exited(exitCode: number): void {
    this.exit = { seq: this.#nextSeq++, exitCode };
    this.#news.emit("news");
  }

  closed(): void {
    this.closedSeq = this.#nextSeq++;
    this.#news.emit("news");
  }

  *retained(afterSeq: number): Generator<OutputChunk> {
    const first = this.#chunks[0]?.seq ?? 0;
    for (let at = this.#indexAfter(afterSeq, first); at < this.#chunks.length; at += 1) {
      const chunk = this.#chunks[at];
      if (chunk !== undefined && chunk.seq > afterSeq) yield chunk;
    }
  }

  async changed(signal: AbortSignal): Promise<void> {
    await once(this.#news, "news", { signal });
  }

  /** Bytes that the slowest follower has yet to take are too many. */
  get lags(): boolean {
    return [...this.#followers].some(({ afterSeq }) => this.#bytesAfter(afterSeq) > LAG_BYTES);
  }

  async *follow(
    from: number,
    signal: AbortSignal,
    taken: () => void,
  ): AsyncGenerator<ProcessEvent> {
    const follower = { afterSeq: from };
    this.#followers.add(follower);
    try {
      while (!signal.aborted) {
        const event = this.#after(follower.afterSeq);
        if (event === undefined) {
          if (this.closedSeq !== null) return;
          await this.changed(signal);
          continue;
        }
        follower.afterSeq = event.seq;
        taken();
        yield event;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#followers.delete(follower);
      taken();
    }
  }

  #after(afterSeq: number): ProcessEvent | undefined {
    const wanted = afterSeq + 1;
    if (wanted === this.exit?.seq) return { type: "exited", ...this.exit };
    if (wanted === this.closedSeq) return { type: "closed", seq: wanted };
    for (const chunk of this.retained(afterSeq)) return { type: "output", ...chunk };
    return undefined;
  }

  #bytesAfter(afterSeq: number): number {
    let bytes = 0;
    for (const chunk of this.retained(afterSeq)) bytes += chunk.bytes.length;
    return bytes;
  }

  /** Chunks have no gaps but the exit, so the place is known within one. */
  #indexAfter(afterSeq: number, first: number): number {
    return Math.max(0, Math.min(afterSeq - first - 1, this.#chunks.length));
  }

  #evict(): void {
    while (this.#heldBytes > RETAINED_BYTES || this.#chunks.length > RETAINED_CHUNKS) {
      this.#heldBytes -= this.#chunks.shift()?.bytes.length ?? 0;
    }
  }
}

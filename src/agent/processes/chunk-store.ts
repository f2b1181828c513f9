import type { StreamName } from "../../contract/process.ts";

/** A numbered piece of output. */
export interface Chunk {
  readonly type: "output";
  readonly seq: number;
  readonly stream: StreamName;
  /** Bytes printed before this chunk. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Chunks held per process, whatever their size: a million one-byte writes must not cost a gigabyte. */
const MAX_CHUNKS = 50_000;
/** Dropped places at the front of the array before it is cut. */
const SLACK = 64;

/** Output chunks in order, the oldest dropped on demand, with an exact account. */
export class ChunkStore {
  readonly #limitBytes: number;
  #chunks: (Chunk | undefined)[] = [];
  #head = 0;
  totalBytes = 0;
  droppedBytes = 0;
  /** The newest chunk that was dropped; 0 for none. */
  lastDroppedSeq = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get oldest(): Chunk | undefined {
    return this.#chunks[this.#head];
  }

  /** Whether more than the limit is held of what came after event `seq`. */
  isOverAfter(seq: number): boolean {
    const index = this.#indexAfter(seq);
    const bytes = this.totalBytes - this.#offsetAt(index);
    return bytes > this.#limitBytes || this.#chunks.length - index > MAX_CHUNKS;
  }

  /** Whether more than the limit is held of what came up to event `seq`. */
  isOverUpTo(seq: number): boolean {
    const index = this.#indexAfter(seq);
    const bytes = this.#offsetAt(index) - this.droppedBytes;
    return bytes > this.#limitBytes || index - this.#head > MAX_CHUNKS;
  }

  push(chunk: Chunk): void {
    this.#chunks.push(chunk);
    this.totalBytes += chunk.bytes.length;
  }

  dropOldest(): void {
    const oldest = this.oldest;
    if (!oldest) return;
    this.droppedBytes += oldest.bytes.length;
    this.lastDroppedSeq = oldest.seq;
    this.#chunks[this.#head] = undefined;
    this.#head += 1;
    if (this.#head < SLACK || this.#head * 2 < this.#chunks.length) return;
    this.#chunks = this.#chunks.slice(this.#head);
    this.#head = 0;
  }

  /** The first chunk held with a number above `seq`. */
  after(seq: number): Chunk | undefined {
    return this.#chunks[this.#indexAfter(seq)];
  }

  /** All chunks held with a number above `seq`. */
  allAfter(seq: number): readonly Chunk[] {
    return this.#chunks.slice(this.#indexAfter(seq)).filter((chunk) => chunk !== undefined);
  }

  #offsetAt(index: number): number {
    return this.#chunks[index]?.offset ?? this.totalBytes;
  }

  /** Numbers are dense but for the process's two end events, so the guess is at most two too high. */
  #indexAfter(seq: number): number {
    const first = this.oldest;
    if (!first || first.seq > seq) return this.#head;
    let index = Math.min(this.#chunks.length, this.#head + (seq - first.seq) + 1);
    while (index > this.#head && (this.#chunks[index - 1]?.seq ?? 0) > seq) index -= 1;
    return index;
  }
}

/** Bytes kept of each end of the output, between two calls. */
export const END_BYTES = 524_288;

const FIRST_BYTES = 4_096;

/** What arrived since the last call: `totalBytes` = head + `omittedBytes` + tail. */
export interface TakenOutput {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly omittedBytes: number;
  readonly totalBytes: number;
}

/**
 * Keeps the first and the last bytes of what is appended, and counts what falls out between them.
 * Chunks are copied, since a small one may be a view into something large.
 */
export class HeadTailBuffer {
  readonly #endBytes: number;
  #head = Buffer.alloc(0);
  #headBytes = 0;
  /** Written round and round; as long as it has not come round, the oldest byte is the first. */
  #tail = Buffer.alloc(0);
  #tailBytes = 0;

  constructor(endBytes = END_BYTES) {
    this.#endBytes = endBytes;
  }

  append(chunk: Uint8Array): void {
    const room = this.#endBytes - this.#headBytes;
    if (room > 0) this.#appendHead(chunk.subarray(0, room));
    if (chunk.length > room) this.#appendTail(chunk.subarray(room));
  }

  /** Hands over everything and starts anew. */
  take(): TakenOutput {
    const taken = {
      head: this.#head.subarray(0, this.#headBytes),
      tail: this.#tailInOrder(),
      omittedBytes: Math.max(0, this.#tailBytes - this.#endBytes),
      totalBytes: this.#headBytes + this.#tailBytes,
    };
    this.#head = Buffer.alloc(0);
    this.#headBytes = 0;
    this.#tail = Buffer.alloc(0);
    this.#tailBytes = 0;
    return taken;
  }

  #appendHead(chunk: Uint8Array): void {
    this.#head = grown(this.#head, this.#headBytes, chunk.length, this.#endBytes);
    this.#head.set(chunk, this.#headBytes);
    this.#headBytes += chunk.length;
  }

  #appendTail(chunk: Uint8Array): void {
    this.#tail = grown(this.#tail, this.#tailBytes, chunk.length, this.#endBytes);
    const skipped = Math.max(0, chunk.length - this.#endBytes);
    const kept = chunk.subarray(skipped);
    const at = (this.#tailBytes + skipped) % this.#endBytes;
    const beforeEnd = kept.subarray(0, this.#endBytes - at);
    this.#tail.set(beforeEnd, at);
    this.#tail.set(kept.subarray(beforeEnd.length), 0);
    this.#tailBytes += chunk.length;
  }

  #tailInOrder(): Buffer {
    if (this.#tailBytes <= this.#endBytes) return this.#tail.subarray(0, this.#tailBytes);
    const oldest = this.#tailBytes % this.#endBytes;
    return Buffer.concat([this.#tail.subarray(oldest), this.#tail.subarray(0, oldest)]);
  }
}

/** The same bytes with room for more, doubling so that many small chunks cost no more than few. */
function grown(buffer: Buffer, used: number, more: number, limit: number): Buffer<ArrayBuffer> {
  const needed = Math.min(used + more, limit);
  if (needed <= buffer.length) return buffer as Buffer<ArrayBuffer>;
  const larger = Buffer.alloc(Math.min(limit, Math.max(needed, buffer.length * 2, FIRST_BYTES)));
  larger.set(buffer);
  return larger;
}

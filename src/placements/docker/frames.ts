/** Which stream of the program a frame carries. */
export type FrameStream = "stdout" | "stderr";

export interface Frame {
  readonly stream: FrameStream;
  readonly bytes: Buffer;
}

const HEADER_BYTES = 8;
const STREAMS = new Map<number, FrameStream>([
  [1, "stdout"],
  [2, "stderr"],
]);
/** Engines send what one read gave them, some ten kilobytes; far more means we are out of step. */
const MAX_FRAME_BYTES = 16_777_216;

/**
 * Takes an engine's multiplexed stream apart, however it is cut into chunks: each frame is a stream
 * number, three zero bytes, a length, and that many bytes. Payload is passed on as it comes in.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #stream: FrameStream = "stdout";
  #left = 0;

  /** @throws Error when the bytes are no such stream */
  *read(chunk: Buffer): Generator<Frame> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        at += this.#readHeader(chunk, at);
        continue;
      }
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#left -= bytes.length;
      yield { stream: this.#stream, bytes };
    }
  }

  /** True between two frames: a stream that ends elsewhere has lost bytes. */
  get isWhole(): boolean {
    return this.#left === 0 && this.#headerBytes === 0;
  }

  #readHeader(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#header, this.#headerBytes, at);
    this.#headerBytes += copied;
    if (this.#headerBytes < HEADER_BYTES) return copied;
    this.#headerBytes = 0;
    const stream = STREAMS.get(this.#header.readUInt8(0));
    const length = this.#header.readUInt32BE(4);
    if (stream === undefined || this.#header.readUIntBE(1, 3) !== 0 || length > MAX_FRAME_BYTES) {
      throw new Error(`the engine's stream is not in frames: ${this.#header.toString("hex")}`);
    }
    this.#stream = stream;
    this.#left = length;
    return copied;
  }
}

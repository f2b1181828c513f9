import type { Duplex } from "node:stream";

/**
 * Frames between service and agent, on any duplex stream: four bytes of length (little endian, of what
 * follows), one byte of kind, the payload. `end` says that the sender is done; a stream that merely
 * stops is broken.
 */
const KINDS = { text: 1, binary: 2, end: 3 } as const;
const HEADER_BYTES = 5;

/** Largest payload taken: twice what an exec-server client may send, so that it can be told so. */
export const MAX_FRAME_BYTES = 134_217_728;
/**
 * What may wait for a slow consumer before the stream is paused, in frames and bytes. Little: what
 * waits here when a connection breaks has been taken from the log and has not arrived.
 */
const QUEUED_FRAMES = 1_024;
const QUEUED_BYTES = 262_144;

export interface Frame {
  readonly isText: boolean;
  readonly payload: Buffer;
}

/** The stream ended before its sender had said so. */
export class BrokenStreamError extends Error {
  override readonly name = "BrokenStreamError";
}

/** Both directions of framed traffic over one stream. */
export class FrameStream {
  readonly #stream: Duplex;
  readonly #decoder = new FrameDecoder();
  readonly #queue: (Frame | "end")[] = [];
  #queuedBytes = 0;
  #draining: Promise<void> | null = null;
  #failure: Error | null = null;
  #wake = () => {};

  /** Settles when the stream is gone, however it went. */
  readonly closed: Promise<void>;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on("data", (bytes: Buffer) => this.#received(bytes));
    stream.on("error", (error) => this.#fail(error));
    this.closed = new Promise((resolve) => {
      stream.once("close", () => {
        this.#fail(new BrokenStreamError("the stream broke off"));
        resolve();
      });
    });
    stream.once("end", () => this.#fail(new BrokenStreamError("the stream broke off")));
  }

  /** Bytes that the other side has not taken yet. */
  get pendingBytes(): number {
    return this.#stream.writableLength;
  }

  /** Sends one frame; waits while the stream holds too much. */
  async send(payload: string | Uint8Array): Promise<void> {
    const isText = typeof payload === "string";
    await this.#write(isText ? KINDS.text : KINDS.binary, isText ? Buffer.from(payload) : payload);
  }

  /** Says that nothing more will come. The other side can still answer. */
  async finish(): Promise<void> {
    if (this.#stream.writable) await this.#write(KINDS.end, new Uint8Array());
  }

  /** Says that nothing more will come; resolves when all of it is on its way, or the stream is gone. */
  async end(): Promise<void> {
    await this.finish();
    const sent = new Promise<void>((resolve) => {
      this.#stream.end(resolve);
    });
    await Promise.race([sent, this.closed]);
  }

  destroy(): void {
    this.#stream.destroy();
  }

  /**
   * The next frame, or null at the proper end.
   * @throws {BrokenStreamError} at any other end
   */
  async next(): Promise<Frame | null> {
    for (;;) {
      const frame = this.#queue.shift();
      if (frame) {
        this.#queuedBytes -= bytesOf(frame);
        if (this.#queue.length === 0) this.#stream.resume();
        return frame === "end" ? null : frame;
      }
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #received(bytes: Buffer): void {
    try {
      for (const frame of this.#decoder.push(bytes)) {
        this.#queue.push(frame);
        this.#queuedBytes += bytesOf(frame);
      }
    } catch (error) {
      this.#stream.destroy(error as Error);
    }
    if (this.#queue.length >= QUEUED_FRAMES || this.#queuedBytes >= QUEUED_BYTES) {
      this.#stream.pause();
    }
    this.#wake();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  #write(kind: number, payload: Uint8Array): Promise<void> | void {
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeUInt32LE(payload.length + 1, 0);
    header[4] = kind;
    this.#stream.cork();
    this.#stream.write(header);
    const flowing = this.#stream.write(payload);
    this.#stream.uncork();
    if (!flowing) return this.#drained();
  }

  /** One wait for all who wait. */
  #drained(): Promise<void> {
    this.#draining ??= new Promise<void>((resolve, reject) => {
      const settle = (outcome: () => void) => () => {
        this.#draining = null;
        this.#stream.off("drain", onDrain);
        this.#stream.off("close", onClose);
        outcome();
      };
      const onDrain = settle(resolve);
      const onClose = settle(() => reject(new BrokenStreamError("the stream broke off")));
      this.#stream.on("drain", onDrain);
      this.#stream.on("close", onClose);
    });
    return this.#draining;
  }
}

/** Cuts bytes into frames without copying more than what straddles two reads. */
class FrameDecoder {
  #parts: Buffer[] = [];
  #held = 0;
  #needed = HEADER_BYTES;

  push(bytes: Buffer): (Frame | "end")[] {
    this.#parts.push(bytes);
    this.#held += bytes.length;
    const frames: (Frame | "end")[] = [];
    while (this.#held >= this.#needed) {
      const frame = this.#take();
      if (frame) frames.push(frame);
    }
    return frames;
  }

  /** The next frame, or null when only its length has become known. */
  #take(): Frame | "end" | null {
    const held = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    const bytes = held ?? Buffer.alloc(0);
    this.#parts = [bytes];
    const total = bytes.readUInt32LE(0) + HEADER_BYTES - 1;
    if (total > MAX_FRAME_BYTES || total < HEADER_BYTES) throw new Error("not a frame of ours");
    this.#needed = total;
    if (bytes.length < total) return null;
    this.#parts = bytes.length === total ? [] : [bytes.subarray(total)];
    this.#held -= total;
    this.#needed = HEADER_BYTES;
    return frameOf(bytes[4], bytes.subarray(HEADER_BYTES, total));
  }
}

function bytesOf(frame: Frame | "end"): number {
  return frame === "end" ? 0 : frame.payload.length;
}

function frameOf(kind: number | undefined, payload: Buffer): Frame | "end" {
  if (kind === KINDS.end) return "end";
  if (kind !== KINDS.text && kind !== KINDS.binary) throw new Error("not a frame of ours");
  return { isText: kind === KINDS.text, payload };
}

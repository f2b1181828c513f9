import { Duplex } from "node:stream";
import { FrameReader } from "./frames.ts";

/** How much of the far program's complaints is kept for the error. */
const MAX_COMPLAINT_BYTES = 4096;

/**
 * The stdio of a program in a container as one duplex stream: what is written goes to its stdin, what
 * is read comes from its stdout. Ending the writable side leaves the readable side open. A stream that
 * stops in the middle of a frame, or before its program said anything, is an error and never an end.
 */
export class Bridge extends Duplex {
  readonly #engineStream: Duplex;
  readonly #frames = new FrameReader();
  #complaint = "";
  #received = false;
  #ended = false;

  /** @param engineStream an upgraded connection to the engine, in frames towards us */
  constructor(engineStream: Duplex) {
    super();
    this.#engineStream = engineStream;
    engineStream.on("data", (chunk: Buffer) => this.#take(chunk));
    engineStream.on("end", () => this.#end());
    engineStream.on("error", (error) => this.destroy(error));
    engineStream.on("close", () => this.#end());
    engineStream.pause();
  }

  override _read(): void {
    this.#engineStream.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#engineStream.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#engineStream.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#engineStream.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    try {
      for (const { stream, bytes } of this.#frames.read(chunk)) {
        if (stream === "stderr") this.#complain(bytes);
        else if (!this.#push(bytes)) this.#engineStream.pause();
      }
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #push(bytes: Buffer): boolean {
    this.#received = true;
    return this.push(bytes);
  }

  #complain(bytes: Buffer): void {
    this.#complaint = (this.#complaint + bytes.toString("utf8")).slice(-MAX_COMPLAINT_BYTES);
  }

  #end(): void {
    if (this.#ended || this.destroyed) return;
    this.#ended = true;
    if (!this.#frames.isWhole) this.destroy(new Error("the engine's stream ended inside a frame"));
    else if (!this.#received) this.destroy(new Error(this.#complaint.trim() || "no answer at all"));
    else this.push(null);
  }
}

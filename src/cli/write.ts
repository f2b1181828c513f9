import type { Writable } from "node:stream";
import { systemCode } from "../errors.ts";

/** Whoever read our output has gone away, as `head` does. */
export class ReaderGoneError extends Error {
  override readonly name = "ReaderGoneError";
}

/** Writes, and resolves once the bytes have left this program: a slow reader slows the writer. */
export function write(stream: Writable, content: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(content, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(readerGone(error) ? new ReaderGoneError(error.message) : error);
    });
  });
}

function readerGone(error: Error): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED"].includes(systemCode(error) ?? "");
}

/** A value as JSON for programs. */
export function writeJson(stream: Writable, value: unknown): Promise<void> {
  return write(stream, `${JSON.stringify(value, null, 2)}\n`);
}

import type { Readable, Writable } from "node:stream";
import { deserialize, serialize } from "node:v8";

const HEADER_BYTES = 4;

/** Writes one message: its length, then the message. */
export function writeFramed(output: Writable, message: unknown): void {
  const body = serialize(message);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(body.length);
  output.write(Buffer.concat([header, body]));
}

export async function* readFramed(input: Readable): AsyncGenerator<unknown> {
  let buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    buffer = Buffer.concat([buffer, chunk as Buffer]);
    while (buffer.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + buffer.readUInt32BE();
      if (buffer.length < end) break;
      yield deserialize(buffer.subarray(HEADER_BYTES, end));
      buffer = buffer.subarray(end);
    }
  }
}

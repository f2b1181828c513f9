import { MAX_MESSAGE_BYTES } from "../limits.ts";

const NEWLINE = 0x0a;

/** A line that is longer than a message may be. */
export class LineTooLongError extends Error {
  override readonly name = "LineTooLongError";
}

/** The lines of a stream of bytes, without their ends. A last line without an end is no line. */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]);
      parts = [];
      length = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_MESSAGE_BYTES) throw new LineTooLongError("a line exceeds a message's limit");
  }
}

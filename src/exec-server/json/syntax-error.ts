/** Text that is not JSON, or more of it than a message may hold. The message says what and where. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";

  /** `end` is how much of `text` had been read; columns count bytes, as the reference does. */
  constructor(reason: string, text: string, end: number) {
    super(`${reason} at ${position(text, end)}`);
  }
}

function position(text: string, end: number): string {
  const read = text.slice(0, end);
  const lineStart = read.lastIndexOf("\n") + 1;
  const line = lineStart === 0 ? 1 : read.split("\n").length;
  return `line ${line} column ${Buffer.byteLength(read.slice(lineStart))}`;
}

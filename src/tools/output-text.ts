import type { TakenOutput } from "./head-tail-buffer.ts";

const BYTES_PER_TOKEN = 4;

/** An estimate of tokens: bytes by four, rounded up. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** The output as a model reads it: decoded, and cut in the middle down to `maxTokens`. */
export function outputText(taken: TakenOutput, maxTokens: number): string {
  const text = decode(taken);
  const bytes = Buffer.from(text);
  const budgetBytes = maxTokens * BYTES_PER_TOKEN;
  if (bytes.length <= budgetBytes) return text;
  return `${warning(taken, bytes)}\n\n${cutMiddle(bytes, budgetBytes)}`;
}

function decode({ head, tail, omittedBytes }: TakenOutput): string {
  const mark = omittedBytes === 0 ? "" : `\n${omission(omittedBytes)}\n`;
  return Buffer.concat([head, Buffer.from(mark), tail]).toString();
}

function omission(bytes: number): string {
  return `... ${bytes} bytes omitted ...`;
}

function warning({ omittedBytes, totalBytes }: TakenOutput, bytes: Buffer): string {
  const isWhole = omittedBytes === 0;
  const count = tokensOf(isWhole ? bytes.length : totalBytes);
  const second = isWhole ? `Total output lines: ${countLines(bytes)}` : omission(omittedBytes);
  return `Warning: truncated output (original token count: ${count})\n${second}`;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  let rest = 0;
  for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", rest)) {
    lines += 1;
    rest = end + 1;
  }
  return rest < bytes.length ? lines + 1 : lines;
}

/** Both ends of the text, in whole characters, around a mark that says how much is gone. */
function cutMiddle(bytes: Buffer, budgetBytes: number): string {
  const headBytes = Math.floor(budgetBytes / 2);
  const head = bytes.subarray(0, boundaryBefore(bytes, headBytes));
  const tail = bytes.subarray(boundaryAfter(bytes, bytes.length - (budgetBytes - headBytes)));
  return `${head}…${tokensOf(bytes.length - budgetBytes)} tokens truncated…${tail}`;
}

function boundaryBefore(bytes: Buffer, index: number): number {
  let boundary = index;
  while (continuesCharacter(bytes[boundary])) boundary -= 1;
  return boundary;
}

function boundaryAfter(bytes: Buffer, index: number): number {
  let boundary = index;
  while (continuesCharacter(bytes[boundary])) boundary += 1;
  return boundary;
}

function continuesCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

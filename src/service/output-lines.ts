import { type OutputEvent, OutputRecordHeader, type Problem } from "../contract/index.ts";
import { OutworkError } from "../errors.ts";

const NEWLINE = 0x0a;

/** An output record of the agent as a line of NDJSON. */
export function outputLine(record: Uint8Array): string {
  return `${JSON.stringify(outputEvent(record))}\n`;
}

function outputEvent(record: Uint8Array): OutputEvent {
  const header = headerOf(record);
  if (header.type !== "output") return header;
  const { bytes, ...event } = header;
  const raw = Buffer.from(record.buffer, record.byteOffset, record.length).subarray(-bytes);
  return { ...event, chunk: bytes === 0 ? "" : raw.toString("base64") };
}

function headerOf(record: Uint8Array): OutputRecordHeader {
  const line = record.subarray(0, record.indexOf(NEWLINE));
  return OutputRecordHeader.parse(JSON.parse(Buffer.from(line).toString()));
}

/**
 * The records of a process as `render` puts them, and as the last line a problem if it was not
 * `closed`: a reader always learns whether it has everything.
 */
export async function* untilClosed<T>(
  records: AsyncIterable<Uint8Array>,
  render: (record: Uint8Array) => T,
  problemOf: (error: unknown) => Problem,
): AsyncGenerator<T | string> {
  let last: Uint8Array | undefined;
  try {
    for await (const record of records) {
      yield render(record);
      last = record;
    }
    if (last && headerOf(last).type === "closed") return;
    throw new OutworkError("agent-unreachable", "The output broke off before it was closed.");
  } catch (error) {
    yield `${JSON.stringify({ type: "problem", problem: problemOf(error) })}\n`;
  }
}

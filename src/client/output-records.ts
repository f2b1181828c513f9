import { z } from "zod";
import { OutputProblem, OutputRecordHeader } from "../contract/process.ts";
import { fromProblem, OutworkError } from "../errors.ts";
import { ByteReader } from "./byte-reader.ts";

const Header = z.union([OutputRecordHeader, OutputProblem]);
type OutputHeader = Extract<OutputRecordHeader, { type: "output" }>;

/** An event of a process as the client hands it out: `chunk` holds the raw bytes. */
export type ProcessEvent =
  | (Omit<OutputHeader, "bytes"> & { chunk: Buffer })
  | Exclude<OutputRecordHeader, OutputHeader>;

/**
 * The events of one body of output records. Ends where the body ends, in the middle of a record or
 * not: only a `closed` event means that there is no more.
 * @throws the service's problem when the body ends with one; `internal` when it is not records
 */
export async function* readRecords(body: AsyncIterable<Uint8Array>): AsyncGenerator<ProcessEvent> {
  const reader = new ByteReader(body);
  try {
    for (;;) {
      const line = await reader.line();
      if (line === undefined) return;
      if (line === "") continue;
      const event = await readRecord(line, reader);
      if (event === undefined) return;
      yield event;
    }
  } finally {
    await reader.close();
  }
}

async function readRecord(line: string, reader: ByteReader): Promise<ProcessEvent | undefined> {
  const header = parseHeader(line);
  if (header.type === "problem") throw fromProblem(header.problem);
  if (header.type !== "output") return header;
  const { bytes, ...rest } = header;
  const chunk = await reader.bytes(bytes);
  return chunk === undefined ? undefined : { ...rest, chunk };
}

function parseHeader(line: string): z.output<typeof Header> {
  try {
    return Header.parse(JSON.parse(line));
  } catch (cause) {
    throw new OutworkError("internal", `not an output record: ${line.slice(0, 200)}`, { cause });
  }
}

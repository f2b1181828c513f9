import { encodeRecord } from "../wire/output-records.ts";
import { requestOf } from "./processes/process-request.ts";
import type { ProcessTable } from "./processes/process-table.ts";
import type { Methods, Sources } from "./rpc/methods.ts";

type ProcessMethods = Pick<Methods, Extract<keyof Methods, `outwork/process/${string}`>>;

/** The agent's methods around processes. */
export function processMethods(table: ProcessTable): ProcessMethods {
  return {
    "outwork/process/start": async (start) => (await table.start(requestOf(start))).snapshot(),
    "outwork/process/list": () => ({
      processes: table.list().map((process) => process.snapshot()),
    }),
    "outwork/process/get": ({ process_id }) => table.get(process_id).snapshot(),
    "outwork/process/stdin": async ({ process_id, write_id, chunk, end }) => ({
      status: await table.get(process_id).stdin.write(write_id, Buffer.from(chunk, "base64"), end),
    }),
    "outwork/process/signal": async ({ process_id, signal }) => ({
      delivered: await table.get(process_id).signal(signal),
    }),
    "outwork/process/terminate": ({ process_id, grace_ms }) => ({
      delivered: table.get(process_id).terminate(grace_ms),
    }),
    "outwork/process/resize": ({ process_id, size }) => ({
      delivered: table.get(process_id).resize(size),
    }),
  };
}

/** Output as records, at the reader's pace. */
export function processSources(table: ProcessTable): Pick<Sources, "outwork/process/output"> {
  return {
    "outwork/process/output": ({ process_id, after_seq }, signal) =>
      records(table, process_id, after_seq, signal),
  };
}

function records(table: ProcessTable, processId: string, afterSeq: number, signal: AbortSignal) {
  const { log } = table.get(processId);
  return encoded(log.follow(afterSeq, signal));
}

async function* encoded(
  events: ReturnType<ReturnType<ProcessTable["get"]>["log"]["follow"]>,
): AsyncGenerator<Uint8Array> {
  for await (const event of events) yield encodeRecord(event);
}

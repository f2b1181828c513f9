import { processClaim } from "../connection/claims.ts";
import {
  readParams,
  signalParams,
  startParams,
  terminateParams,
  type WriteParams,
  writeParams,
} from "../params/process.ts";
import { invalidParams } from "../rpc-error.ts";
import { type CallContext, type Method, method, type Reply } from "./method.ts";
import { readProcess } from "./process-read.ts";
import { startProcess } from "./process-start.ts";

async function writeProcess(params: WriteParams, { session }: CallContext): Promise<Reply> {
  const { processId, writeId, chunk } = params;
  if (writeId === "") throw invalidParams("writeId must not be empty");
  if (session.processes.isStarting(processId)) return { result: { status: "starting" } };
  const process = session.processes.get(processId);
  if (process === undefined) return { result: { status: "unknownProcess" } };
  return { result: { status: await process.started.write({ writeId, chunk }) } };
}

/**
 * Signal and terminate claim nothing, so that no read or write that hangs stands in their way. The
 * one waits for a start that is under way, the other calls it off.
 */
export const PROCESS_METHODS: Readonly<Record<string, Method>> = {
  "process/start": method({
    family: "exec",
    params: startParams,
    claims: ({ processId }) => [processClaim(processId, "change")],
    run: startProcess,
  }),
  "process/read": method({
    family: "exec",
    params: readParams,
    claims: ({ processId }) => [processClaim(processId, "look")],
    run: readProcess,
  }),
  "process/write": method({
    family: "exec",
    params: writeParams,
    claims: ({ processId }) => [processClaim(processId, "change")],
    run: writeProcess,
  }),
  "process/signal": method({
    family: "exec",
    params: signalParams,
    run: async ({ processId }, { session }) => {
      (await session.processes.whenStarted(processId))?.started.interrupt();
      return { result: {} };
    },
  }),
  "process/terminate": method({
    family: "exec",
    params: terminateParams,
    run: ({ processId }, { session }) => ({
      result: { running: session.processes.terminate(processId) },
    }),
  }),
};

import { encodeBase64 } from "../base64.ts";
import { Deadline } from "../deadline.ts";
import { MAX_READ_BYTES, RETAINED_OUTPUT_CHUNKS } from "../limits.ts";
import type { ReadParams } from "../params/process.ts";
import type { OutputChunk, StartedProcess } from "../ports.ts";
import { clip } from "../quote.ts";
import { invalidRequest } from "../rpc-error.ts";
import type { ManagedProcess } from "../session/managed-process.ts";
import type { CallContext, Reply } from "./method.ts";

/** Base64 and an envelope per chunk, compared with the bytes. */
const ANSWER_FACTOR = 2;

export async function readProcess(params: ReadParams, context: CallContext): Promise<Reply> {
  const { processId, afterSeq, waitMs } = params;
  const { processes } = context.session;
  if (processes.isStarting(processId)) {
    throw invalidRequest(`process id ${clip(processId)} is starting`);
  }
  const process = processes.get(processId);
  if (process === undefined) throw invalidRequest(`unknown process id ${clip(processId)}`);
  if (waitMs > 0 && !hasNews(process.started, afterSeq) && context.standAside()) {
    await untilNews(process.started, afterSeq, waitMs, context.signal);
  }
  await context.admit(wantedBytes(params, process) * ANSWER_FACTOR);
  return { result: snapshot(process, params) };
}

function wantedBytes({ maxBytes }: ReadParams, process: ManagedProcess): number {
  return Math.min(maxBytes ?? process.heldBytes, MAX_READ_BYTES);
}

/** A reader that has already seen the exit waits on, for late output or for the close. */
function hasNews(process: StartedProcess, afterSeq: number): boolean {
  if (process.closed) return true;
  for (const _ of process.retained(afterSeq)) return true;
  return process.exit !== null && afterSeq < process.nextSeq - 1;
}

async function untilNews(
  process: StartedProcess,
  afterSeq: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  using deadline = new Deadline(signal, waitMs);
  try {
    while (!hasNews(process, afterSeq)) await process.changed(deadline);
  } catch (error) {
    if (!deadline.expired) throw error;
  }
}

function snapshot(process: ManagedProcess, params: ReadParams): object {
  const { started, sandboxDenied } = process;
  const { chunks, complete } = take(started.retained(params.afterSeq), params.maxBytes);
  const last = chunks.at(-1);
  const partial = last !== undefined && (params.maxBytes !== null || !complete);
  return {
    chunks: chunks.map(({ seq, stream, bytes }) => ({ seq, stream, chunk: encodeBase64(bytes) })),
    nextSeq: partial ? last.seq + 1 : started.nextSeq,
    exited: started.exit !== null,
    exitCode: started.exit?.exitCode ?? null,
    closed: started.closed,
    failure: null,
    sandboxDenied,
  };
}

/** Whole chunks within the budget, but always the first. */
function take(retained: Iterable<OutputChunk>, maxBytes: number | null) {
  const budget = Math.min(maxBytes ?? MAX_READ_BYTES, MAX_READ_BYTES);
  const chunks: OutputChunk[] = [];
  let bytes = 0;
  for (const chunk of retained) {
    bytes += chunk.bytes.length;
    const full = chunks.length === RETAINED_OUTPUT_CHUNKS || bytes > budget;
    if (full && chunks.length > 0) return { chunks, complete: false };
    chunks.push(chunk);
  }
  return { chunks, complete: true };
}

import assert from "node:assert/strict";
import { type ParamsOf, ResolvedStartProcess } from "../../src/contract/agent.ts";
import type { EndCause, Process } from "../../src/contract/process.ts";
import type { AgentLink } from "../../src/core/agent-link.ts";
import { type OutputRecord, RecordDecoder } from "../../src/wire/output-records.ts";

export type Start = ParamsOf<"outwork/process/start">;

/** Long enough for any slow machine: a wait that passes it is a hang. */
const HANG_MS = 300_000;

export function patience(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(HANG_MS) };
}

/** All that a process told, from its start to `closed`. */
export interface Ran {
  /** As the start answered. */
  readonly process: Process;
  readonly events: readonly OutputRecord[];
  /** Both streams, in order of arrival. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly cause: EndCause;
}

/** Starts a process, its defaults filled in as the service does. */
export function startProcess(agent: AgentLink, start: Start): Promise<Process> {
  return agent.call("outwork/process/start", ResolvedStartProcess.parse(start), patience());
}

/** Runs a process to its end; checks that its account of output adds up. */
export async function run(agent: AgentLink, start: Start): Promise<Ran> {
  return readToEnd(agent, await startProcess(agent, start));
}

/** Reads a process from its first event to `closed`. */
export async function readToEnd(agent: AgentLink, process: Process): Promise<Ran> {
  const events: OutputRecord[] = [];
  for await (const event of follow(agent, process.process_id)) events.push(event);
  checkAccount(events);
  const exit = events.find((event) => event.type === "exited");
  assert.ok(exit);
  return {
    process,
    events,
    output: textOf(events),
    stdout: textOf(events, "stdout"),
    stderr: textOf(events, "stderr"),
    exitCode: exit.exit_code,
    cause: exit.cause,
  };
}

/** Output events after `afterSeq`, as they come, to `closed`. */
export async function* follow(
  agent: AgentLink,
  processId: string,
  afterSeq = 0,
  options = patience(),
): AsyncGenerator<OutputRecord> {
  const params = { process_id: processId, after_seq: afterSeq };
  const decoder = new RecordDecoder();
  for await (const bytes of await agent.read("outwork/process/output", params, options)) {
    for (const record of decoder.push(bytes)) yield record as OutputRecord;
  }
}

export function textOf(events: readonly OutputRecord[], stream?: "stdout" | "stderr"): string {
  const chunks = events.flatMap((event) =>
    event.type === "output" && (stream ?? event.stream) === event.stream ? [event.bytes] : [],
  );
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Whole numbers without gaps, every byte either delivered or told as omitted, one exit, and nothing
 * after `closed`.
 */
export function checkAccount(events: readonly OutputRecord[]): void {
  let seq = 0;
  let position = 0;
  let omitted = 0;
  for (const event of events) {
    assert.equal(event.type === "omitted" ? event.from_seq : event.seq, seq + 1);
    seq = event.type === "omitted" ? event.to_seq : event.seq;
    if (event.type === "omitted") {
      omitted += event.resume_offset - position;
      position = event.resume_offset;
    } else if (event.type === "output") {
      assert.equal(event.offset, position);
      position += event.bytes.length;
    }
  }
  const last = events.at(-1);
  assert.equal(last?.type, "closed");
  assert.equal(last.total_bytes, position);
  assert.ok(omitted <= last.dropped_bytes);
  assert.equal(events.filter(({ type }) => type === "exited").length, 1);
  assert.equal(events.filter(({ type }) => type === "closed").length, 1);
}

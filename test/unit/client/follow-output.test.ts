import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { followOutput } from "../../../src/client/follow-output.ts";
import { type ProcessEvent, readRecords } from "../../../src/client/output-records.ts";
import { OutworkError, toProblem } from "../../../src/errors.ts";

const EVENTS: ProcessEvent[] = [
  { type: "output", seq: 1, stream: "stdout", offset: 0, chunk: Buffer.from("line one\n\n") },
  { type: "output", seq: 2, stream: "stderr", offset: 10, chunk: Buffer.from([0, 0x0a, 0xff]) },
  { type: "omitted", from_seq: 3, to_seq: 5, resume_offset: 313 },
  { type: "output", seq: 6, stream: "stdout", offset: 313, chunk: Buffer.alloc(0) },
  { type: "exited", seq: 7, exit_code: 3, cause: "exited" },
  { type: "output", seq: 8, stream: "stdout", offset: 313, chunk: Buffer.from("après la fin") },
  { type: "closed", seq: 9, total_bytes: 325, dropped_bytes: 300 },
];

function record(event: ProcessEvent): Buffer {
  if (event.type !== "output") return Buffer.from(`${JSON.stringify(event)}\n`);
  const { chunk, ...rest } = event;
  const header = JSON.stringify({ ...rest, bytes: chunk.length });
  return Buffer.concat([Buffer.from(`${header}\n`), chunk]);
}

function firstSeq(event: ProcessEvent): number {
  return event.type === "omitted" ? event.from_seq : event.seq;
}

/** The body that a service sends for `after_seq`, with heartbeats between its records. */
function bodyAfter(afterSeq: number): Buffer {
  const rest = EVENTS.filter((event) => firstSeq(event) > afterSeq);
  return Buffer.concat(rest.flatMap((event) => [Buffer.from("\n"), record(event)]));
}

/** Hands out `bytes` in pieces of `size`; then ends, or fails as a broken connection does. */
async function* pieces(bytes: Buffer, size: number, fails: boolean): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  if (fails) throw new OutworkError("service-unreachable", "the connection broke");
}

/** A service that breaks connection number i after `cuts[i]` bytes, and none after that. */
function cutting(cuts: readonly number[], size: number, fails: boolean) {
  const left = [...cuts];
  return async (afterSeq: number) => {
    const body = bodyAfter(afterSeq);
    const cut = left.shift();
    if (cut === undefined || cut >= body.length) return readRecords(pieces(body, size, false));
    return readRecords(pieces(body.subarray(0, cut), size, fails));
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("a stream cut once at any byte gives every event exactly once", async (t) => {
  for (const fails of [true, false]) {
    for (let cut = 0; cut <= bodyAfter(0).length; cut += 1) {
      const events = await collect(followOutput(cutting([cut], 7, fails), { signal: t.signal }));
      assert.deepEqual(events, EVENTS, `cut at byte ${cut}`);
    }
  }
});

test("a stream cut any number of times gives every event exactly once", async (t) => {
  t.mock.method(Math, "random", () => 1);
  const cuts = fc.array(fc.nat({ max: bodyAfter(0).length }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      cuts,
      fc.integer({ min: 1, max: 64 }),
      fc.boolean(),
      async (at, size, fails) => {
        const events = await collect(followOutput(cutting(at, size, fails), { signal: t.signal }));
        assert.deepEqual(events, EVENTS);
      },
    ),
    { numRuns: 60 },
  );
});

test("reading goes on after the event that the caller names", async (t) => {
  const events = followOutput(cutting([], 100, false), { afterSeq: 7, signal: t.signal });
  assert.deepEqual(await collect(events), EVENTS.slice(5));
});

test("OU-13: a stream that ends without `closed` is not the end", async (t) => {
  const whole = bodyAfter(0).length;
  const withoutClosed = whole - record(EVENTS[6] as ProcessEvent).length;
  const opened: number[] = [];
  const open = cutting([withoutClosed], 100, false);
  const counting = (afterSeq: number) => {
    opened.push(afterSeq);
    return open(afterSeq);
  };
  assert.deepEqual(await collect(followOutput(counting, { signal: t.signal })), EVENTS);
  assert.deepEqual(opened, [0, 8]);
});

test("OU-15: output that follows the exit is delivered", async (t) => {
  const events = await collect(followOutput(cutting([], 100, false), { signal: t.signal }));
  assert.deepEqual(events.at(-2), EVENTS[5]);
});

test("a problem that trying again does not mend ends the reading", async (t) => {
  const problem = toProblem(new OutworkError("environment-gone", "env_1 was removed"));
  const body = Buffer.concat([
    record(EVENTS[0] as ProcessEvent),
    Buffer.from(`${JSON.stringify({ type: "problem", problem })}\n`),
  ]);
  const events = followOutput(async () => readRecords(pieces(body, 10, false)), {
    signal: t.signal,
  });
  assert.deepEqual((await events.next()).value, EVENTS[0]);
  await assert.rejects(events.next(), { code: "environment-gone", message: "env_1 was removed" });
});

test("a passing problem inside the stream is resumed from", async (t) => {
  const problem = toProblem(new OutworkError("agent-unreachable", "the agent did not answer"));
  const broken = Buffer.from(`${JSON.stringify({ type: "problem", problem })}\n`);
  const bodies = [broken, bodyAfter(0)];
  const open = async () => readRecords(pieces(bodies.shift() ?? broken, 10, false));
  assert.deepEqual(await collect(followOutput(open, { signal: t.signal })), EVENTS);
});

test("an event that does not follow on the last one is an error, not a silent gap", async (t) => {
  const open = async () => readRecords(pieces(bodyAfter(1), 100, false));
  await assert.rejects(collect(followOutput(open, { signal: t.signal })), {
    code: "internal",
    message: "event 2 of the output came after event 0",
  });
});

test("aborting ends the reading with the caller's reason", async () => {
  const stop = new AbortController();
  const open = async () => {
    stop.abort(new Error("enough"));
    throw new OutworkError("service-unreachable", "nobody there");
  };
  const events = followOutput(open, { signal: stop.signal });
  await assert.rejects(events.next(), { message: "enough" });
});

test("a reader with limited patience gives up with the last failure", async (t) => {
  const open = async () => {
    throw new OutworkError("service-unreachable", "nobody there");
  };
  const events = followOutput(open, { signal: t.signal, patienceMs: 20 });
  await assert.rejects(events.next(), { code: "service-unreachable", message: "nobody there" });
});

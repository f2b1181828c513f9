import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openFixture } from "../support/exec-server/fixture.ts";
import type { Message, ProtocolClient } from "../support/exec-server/protocol-client.ts";
import { script } from "../support/exec-server/starts.ts";

interface Step {
  readonly stream: 1 | 2;
  readonly bytes: number;
  readonly pauseMs: number;
}

const steps = fc.array(
  fc.record({
    stream: fc.constantFrom(1 as const, 2 as const),
    bytes: fc.integer({ min: 1, max: 30_000 }),
    pauseMs: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 8 },
);

function scriptOf(plan: readonly Step[]): string {
  const lines = plan.map(({ stream, bytes, pauseMs }) => {
    return `head -c ${bytes} /dev/zero >&${stream}; sleep 0.00${pauseMs}`;
  });
  return [...lines, "exit 7"].join("; ");
}

function bytesOn(events: readonly Message[], stream: string): number {
  return events
    .filter(({ params }) => params?.stream === stream)
    .reduce((sum, { params }) => sum + Buffer.from(String(params?.chunk), "base64").length, 0);
}

function wanted(plan: readonly Step[], stream: 1 | 2): number {
  return plan.filter((step) => step.stream === stream).reduce((sum, { bytes }) => sum + bytes, 0);
}

async function run(client: ProtocolClient, id: string, plan: readonly Step[]): Promise<Message[]> {
  await client.result("process/start", script(id, scriptOf(plan)));
  await client.closedOf(id);
  return client.eventsOf(id);
}

test("OU-03: events come in order, whole, and a poll sees what was pushed", async (t) => {
  const client = await (await openFixture(t)).ready();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      number += 1;
      const id = `p${number}`;
      const events = await run(client, id, plan);
      const order = events.map(({ params }) => params?.seq);
      assert.deepEqual(
        order,
        order.map((_, index) => index + 1),
      );
      assert.equal(events.at(-1)?.method, "process/closed");
      assert.equal(bytesOn(events, "stdout"), wanted(plan, 1));
      assert.equal(bytesOn(events, "stderr"), wanted(plan, 2));
      const pushed = events.flatMap(({ method, params }) => {
        const { processId: _, ...chunk } = params ?? {};
        return method === "process/output" ? [chunk] : [];
      });
      const { chunks } = await client.result("process/read", { processId: id });
      assert.deepEqual(chunks, pushed);
    }),
    { numRuns: 25 },
  );
});

test("OU-03: in a burst of starts each answer comes before the first event of its process", async (t) => {
  const client = await (await openFixture(t)).ready();
  const ids = Array.from({ length: 100 }, (_, at) => `p${at}`);
  const requests = ids.map((id) => client.send("process/start", script(id, "echo a; echo b >&2")));
  for (const id of ids) await client.closedOf(id);
  for (const [at, id] of ids.entries()) {
    const mine = client.messages.filter((message) => {
      return message.id === requests[at] || message.params?.processId === id;
    });
    assert.equal(mine[0]?.id, requests[at]);
    assert.deepEqual(
      mine.slice(1).map(({ params }) => params?.seq),
      [1, 2, 3, 4],
    );
  }
});

test("OU-15: output of children that outlive the program comes after its exit, before the close", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result("process/start", script("p", "(sleep 0.3; echo late) & echo main; exit 4"));
  await client.closedOf("p");
  assert.deepEqual(
    client.eventsOf("p").map(({ method }) => method),
    ["process/output", "process/exited", "process/output", "process/closed"],
  );
  assert.equal(client.outputOf("p"), "main\nlate\n");
});

test("OU-15: every line is there at the close, pushed or polled", async (t) => {
  const client = await (await openFixture(t)).ready();
  const lines = Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join("");
  await client.result("process/start", script("p", "seq 5000"));
  let polled = "";
  for (let afterSeq = 0, closed = false; !closed; ) {
    const read = await client.result("process/read", { processId: "p", afterSeq, waitMs: 5000 });
    const chunks = read.chunks as { seq: number; chunk: string }[];
    polled += chunks.map(({ chunk }) => Buffer.from(chunk, "base64").toString()).join("");
    afterSeq = Number(read.nextSeq) - 1;
    closed = read.closed === true;
  }
  await client.closedOf("p");
  assert.equal(client.outputOf("p"), lines);
  assert.equal(polled, lines);
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { OUTPUT_RECORDS_TYPE, type OutputEvent } from "../../src/contract/index.ts";
import { OutworkError } from "../../src/errors.ts";
import type { ServiceDeps } from "../../src/service/app.ts";
import { type FakeAgent, forever } from "../support/fake-agent.ts";
import { finishedProcess, outputEvent, recordOf } from "../support/records.ts";
import { openService, type TestService, TOKEN } from "../support/service.ts";

const OUTPUT = "/v1/environments/a/processes/p/output";

interface Listening extends TestService {
  readonly agent: FakeAgent;
  /** Opens the output stream over a socket; resolves with the headers. */
  follow(accept?: string, query?: string): Promise<IncomingMessage>;
}

async function listening(t: TestContext, overrides: Partial<ServiceDeps> = {}): Promise<Listening> {
  const service = await openService(t, { graceMs: 0, ...overrides });
  const agent = await service.launch("a");
  const url = await service.listen();
  const follow = async (accept = "*/*", query = "") => {
    const headers = { authorization: `Bearer ${TOKEN}`, accept };
    const [response] = await once(get(url + OUTPUT + query, { headers }), "response");
    return response as IncomingMessage;
  };
  return { ...service, agent, follow };
}

async function* records(events: Iterable<OutputEvent>): AsyncGenerator<Uint8Array> {
  for (const event of events) yield recordOf(event);
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await response.toArray());
}

/** The lines of a body without its heartbeats. */
async function linesOf(response: IncomingMessage): Promise<Record<string, unknown>[]> {
  const lines = (await bytesOf(response)).toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

test("output is one event a line, from the cursor on, until it is closed", async (t) => {
  const { agent, follow } = await listening(t);
  const events: OutputEvent[] = [
    { type: "omitted", from_seq: 8, to_seq: 9, resume_offset: 100 },
    outputEvent(10, randomBytes(70_000), 100),
    outputEvent(11, new Uint8Array(), 70_100),
    { type: "exited", seq: 12, exit_code: 3, cause: "exited" },
    { type: "closed", seq: 13, total_bytes: 70_100, dropped_bytes: 100 },
  ];
  agent.stream("outwork/process/output", () => records(events));
  const response = await follow("*/*", "?after_seq=7");
  assert.equal(response.headers["content-type"], "application/x-ndjson");
  assert.deepEqual(await linesOf(response), events);
  assert.deepEqual(agent.calls, [
    { method: "outwork/process/output", params: { process_id: "p", after_seq: 7 } },
  ]);
});

test("records reach the reader byte for byte", async (t) => {
  const { agent, follow } = await listening(t);
  const events = finishedProcess(randomBytes(1_000_000));
  agent.stream("outwork/process/output", () => records(events));
  const response = await follow(OUTPUT_RECORDS_TYPE);
  assert.equal(response.headers["content-type"], OUTPUT_RECORDS_TYPE);
  const [heartbeat, ...rest] = await bytesOf(response);
  assert.equal(heartbeat, 0x0a);
  assert.ok(Buffer.from(rest).equals(Buffer.concat(events.map(recordOf))));
});

test("a process that is not there is a 404, not a stream", async (t) => {
  const { agent, follow } = await listening(t);
  agent.stream("outwork/process/output", () => {
    throw new OutworkError("process-not-found", "There is no process p.");
  });
  const response = await follow();
  assert.equal(response.statusCode, 404);
  assert.equal((await linesOf(response))[0]?.type, "urn:outwork:process-not-found");
});

test("LC-06: a silent stream is kept alive by empty lines, in both forms", async (t) => {
  const { agent, follow } = await listening(t, { heartbeatMs: 5 });
  agent.stream("outwork/process/output", async function* (_, { signal }) {
    yield recordOf(outputEvent(1, Buffer.from("x")));
    await forever(signal);
  });
  for (const accept of ["application/x-ndjson", OUTPUT_RECORDS_TYPE]) {
    const response = await follow(accept);
    let text = "";
    for await (const chunk of response) {
      text += chunk;
      if (/\{.*\n\n\n\n/s.test(text)) break;
    }
    const [line, ...others] = text.split("\n").filter((part) => part !== "" && part !== "x");
    assert.equal(JSON.parse(line ?? "").seq, 1);
    assert.deepEqual(others, []);
  }
});

test("a reader of a process that says nothing gets its headers at once", async (t) => {
  const { agent, follow } = await listening(t);
  agent.stream("outwork/process/output", async function* (_, { signal }) {
    await forever(signal);
    yield recordOf(outputEvent(1, Buffer.from("x")));
  });
  const response = await follow();
  assert.equal(response.statusCode, 200);
  response.destroy();
});

test("a client that hangs up ends the read, and only the read", async (t) => {
  const { agent, follow, send } = await listening(t);
  const ended = new Promise<void>((resolve) => {
    agent.stream("outwork/process/output", async function* (_, { signal }) {
      try {
        yield recordOf(outputEvent(1, Buffer.from("x")));
        await forever(signal);
      } finally {
        resolve();
      }
    });
  });
  const response = await follow();
  await once(response, "data");
  response.destroy();
  await ended;
  const called = agent.calls.map(({ method }) => method);
  assert.deepEqual(called, ["outwork/process/output"]);
  assert.equal((await send({ method: "GET", url: "/v1/environments/a" })).status, 200);
});

test("OU-13: a stream that breaks off ends with a problem line, in both forms", async (t) => {
  const { agent, follow } = await listening(t);
  const first = outputEvent(1, Buffer.from("hello"));
  agent.stream("outwork/process/output", () => records([first]));
  const lines = await linesOf(await follow());
  const { type, problem } = lines.at(-1) as { type: string; problem: Record<string, unknown> };
  assert.deepEqual(lines[0], first);
  assert.deepEqual(
    [type, problem.type, problem.retryable],
    ["problem", "urn:outwork:agent-unreachable", true],
  );
  const raw = (await bytesOf(await follow(OUTPUT_RECORDS_TYPE))).toString();
  assert.match(raw, /hello\{"type":"problem","problem":\{.*"retryable":true.*\}\}\n$/);
});

test("OU-13: a stream that the agent breaks ends with the agent's problem", async (t) => {
  const { agent, follow } = await listening(t);
  agent.stream("outwork/process/output", async function* () {
    yield recordOf(outputEvent(1, Buffer.from("x")));
    throw new OutworkError("agent-unreachable", "The connection broke.");
  });
  const { problem } = (await linesOf(await follow())).at(-1) as { problem: object };
  const { request_id, ...told } = problem as { request_id: string };
  assert.match(request_id, /^req_/);
  assert.deepEqual(told, {
    type: "urn:outwork:agent-unreachable",
    title: "The agent did not answer",
    status: 502,
    detail: "The connection broke.",
    retryable: true,
  });
});

test("an environment that is removed ends its streams with the reason", async (t) => {
  const { agent, follow, send } = await listening(t);
  agent.stream("outwork/process/output", async function* (_, { signal }) {
    yield recordOf(outputEvent(1, Buffer.from("x")));
    await forever(signal);
  });
  const response = await follow();
  const reading = linesOf(response);
  await send({ method: "DELETE", url: "/v1/environments/a" });
  const { problem } = (await reading).at(-1) as { problem: Record<string, unknown> };
  assert.deepEqual([problem.type, problem.reason], ["urn:outwork:environment-gone", "removed"]);
});

test("a stopping service ends streams with a problem that may be tried again", async (t) => {
  const { app, agent, follow, substrate } = await listening(t);
  agent.stream("outwork/process/output", async function* (_, { signal }) {
    yield recordOf(outputEvent(1, Buffer.from("x")));
    await forever(signal);
  });
  const response = await follow();
  const reading = linesOf(response);
  await app.close();
  const { problem } = (await reading).at(-1) as { problem: Record<string, unknown> };
  assert.deepEqual([problem.type, problem.retryable], ["urn:outwork:service-stopping", true]);
  assert.ok(substrate.environments.has("a"));
});

test("AP-03: a reader that stops reading stops the producer, and nobody else", async (t) => {
  const { agent, follow, send } = await listening(t);
  const total = 512;
  let produced = 0;
  agent.stream("outwork/process/output", async function* () {
    const bytes = randomBytes(262_144);
    for (; produced < total; produced += 1) yield recordOf(outputEvent(produced + 1, bytes));
    yield recordOf({ type: "closed", seq: total + 1, total_bytes: 0, dropped_bytes: 0 });
  });
  const response = await follow(OUTPUT_RECORDS_TYPE);
  response.pause();
  let before = -1;
  while (before !== produced) {
    before = produced;
    await send({ method: "GET", url: "/v1/environments/a" });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(produced < total / 2, `${produced} of ${total} were taken from the agent`);
  const body = await bytesOf(response);
  assert.equal(produced, total);
  assert.match(body.subarray(-100).toString("latin1"), /"closed"/);
});

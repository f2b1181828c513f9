import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProcessEvent } from "../../../src/client/output-records.ts";
import { Outwork } from "../../../src/client/outwork.ts";
import { OutworkError } from "../../../src/errors.ts";
import { type Cut, CuttingProxy } from "../../support/cutting-proxy.ts";
import type { FakeProcess } from "../../support/fake-process.ts";
import { FakeService } from "../../support/fake-service.ts";

/** Prints a line, waits for `go` on stdin and its end, prints the rest and exits. */
function echoes(process: FakeProcess): void {
  process.print("ready\n");
  process.changes.on("input", () => {
    if (!process.stdinEnded) return;
    process.print(`${process.stdin}\n\n`, "stderr");
    process.exit(7);
    process.print("late\n");
    process.close();
  });
}

const EXPECTED: ProcessEvent[] = [
  { type: "output", seq: 1, stream: "stdout", offset: 0, chunk: Buffer.from("ready\n") },
  { type: "output", seq: 2, stream: "stderr", offset: 6, chunk: Buffer.from("go on\n\n") },
  { type: "exited", seq: 3, exit_code: 7, cause: "exited" },
  { type: "output", seq: 4, stream: "stdout", offset: 13, chunk: Buffer.from("late\n") },
  { type: "closed", seq: 5, total_bytes: 18, dropped_bytes: 0 },
];

/** Starts, writes, ends stdin, reads everything and waits, over a line that breaks as told. */
async function converse(cuts: readonly Cut[], signal: AbortSignal) {
  await using service = await FakeService.open({ onStart: echoes });
  service.add("env_1");
  await using proxy = await CuttingProxy.open(service.port, cuts);
  await using outwork = new Outwork({ url: proxy.url });
  const process = await outwork.environment("env_1").start({ argv: ["echoes"], stdin: "pipe" });
  const written = [process.write("go"), process.write(" on"), process.end()];
  const events: ProcessEvent[] = [];
  for await (const event of process.output({ signal })) events.push(event);
  const statuses = await Promise.all(written);
  const ended = await process.wait({ signal });
  const started = service.environments.get("env_1")?.processes.size;
  return { events, statuses, ended, started, counts: proxy.counts };
}

const RIGHT = {
  events: EXPECTED,
  statuses: ["accepted", "accepted", "accepted"],
  ended: { exit_code: 7, cause: "exited" },
  started: 1,
};

/** Every fifth byte; `follow-output.test.ts` takes every byte of the stream itself. */
const STRIDE = 5;
const AT_ONCE = 20;

for (const direction of ["down", "up"] as const) {
  test(`a connection cut anywhere on its way ${direction} changes nothing`, async (t) => {
    const { counts, ...uncut } = await converse([], t.signal);
    assert.deepEqual(uncut, RIGHT);
    for (let from = 0; from < counts[direction]; from += STRIDE * AT_ONCE) {
      const bytes = Array.from({ length: AT_ONCE }, (_, index) => from + index * STRIDE);
      const cuts = bytes.map((atByte) => converse([{ direction, atByte }], t.signal));
      for (const [index, { counts: _, ...result }] of (await Promise.all(cuts)).entries()) {
        assert.deepEqual(result, RIGHT, `cut at byte ${bytes[index]}`);
      }
    }
  });
}

test("a signal whose answer is lost is never sent twice", async () => {
  await using service = await FakeService.open();
  service.add("env_1");
  await using direct = new Outwork({ url: service.url });
  const { id } = await direct.environment("env_1").start({ argv: ["sleep"] });
  for (const cut of [
    { direction: "down", atByte: 0 },
    { direction: "down", atByte: 20 },
  ] as const) {
    const before = service.process.signals.length;
    await using proxy = await CuttingProxy.open(service.port, [cut]);
    await using outwork = new Outwork({ url: proxy.url });
    await assert.rejects(outwork.environment("env_1").process(id).signal("SIGINT"), {
      code: "outcome-unknown",
      retryable: false,
    });
    assert.equal(service.process.signals.length, before + 1);
  }
});

test("a command whose answer is lost is never sent twice", async () => {
  const calls: string[] = [];
  await using service = await FakeService.open({ onTool: ({ name }) => ({ n: calls.push(name) }) });
  service.add("env_1");
  await using proxy = await CuttingProxy.open(service.port, [{ direction: "down", atByte: 9 }]);
  await using outwork = new Outwork({ url: proxy.url });
  await assert.rejects(outwork.environment("env_1").execCommand({ cmd: "make" }), {
    code: "outcome-unknown",
  });
  assert.deepEqual(calls, ["exec_command"]);
});

test("what never reached the service is tried again, a command too", async () => {
  await using service = await FakeService.open();
  const { url } = service;
  await service[Symbol.asyncDispose]().catch(() => undefined);
  await using outwork = new Outwork({ url, retries: 1 });
  await assert.rejects(outwork.environment("env_1").execCommand({ cmd: "make" }), {
    code: "service-unreachable",
    retryable: true,
    facts: { effect: "none" },
  });
});

test("a removal whose first answer was lost has still happened", async () => {
  await using service = await FakeService.open();
  service.add("env_1");
  await using proxy = await CuttingProxy.open(service.port, [{ direction: "down", atByte: 0 }]);
  await using outwork = new Outwork({ url: proxy.url });
  await outwork.environments.remove("env_1");
  assert.deepEqual(service.requests, [
    "DELETE /v1/environments/env_1",
    "DELETE /v1/environments/env_1",
  ]);
  await assert.rejects(outwork.environments.remove("env_1"), { code: "environment-not-found" });
});

test("LC-06: a silent process is followed for as long as it is silent", async (t) => {
  await using service = await FakeService.open();
  service.heartbeatMs = 5;
  service.add("env_1");
  await using outwork = new Outwork({ url: service.url });
  const process = await outwork.environment("env_1").start({ argv: ["sleep"] });
  const events = process.output({ signal: t.signal });
  const first = events.next();
  setTimeout(() => service.process.end(0), 200);
  assert.deepEqual((await first).value, { type: "exited", seq: 1, exit_code: 0, cause: "exited" });
  const reads = service.requests.filter((request) => request.endsWith("/output"));
  assert.equal(reads.length, 1);
});

test("leaving the loop ends the request and leaves the process running", async (t) => {
  await using service = await FakeService.open({ onStart: (started) => started.print("one") });
  service.add("env_1");
  await using outwork = new Outwork({ url: service.url });
  const process = await outwork.environment("env_1").start({ argv: ["yes"] });
  for await (const event of process.output({ signal: t.signal })) {
    assert.equal(event.type, "output");
    break;
  }
  assert.equal(service.process.running, true);
});

test("a time limit says `deadline-exceeded`, an abort gives the caller's reason", async () => {
  await using service = await FakeService.open({ onTool: () => new Promise(() => {}) });
  service.add("env_1");
  await using outwork = new Outwork({ url: service.url });
  const environment = outwork.environment("env_1");
  await assert.rejects(environment.execCommand({ cmd: "make" }, { timeoutMs: 30 }), {
    code: "deadline-exceeded",
  });
  const stop = AbortSignal.abort(new OutworkError("internal", "changed my mind"));
  await assert.rejects(environment.execCommand({ cmd: "make" }, { signal: stop }), {
    message: "changed my mind",
  });
});

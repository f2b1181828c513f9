import assert from "node:assert/strict";
import { test } from "node:test";
import { Outwork } from "../../../src/client/outwork.ts";
import type { FakeProcess } from "../../support/fake-process.ts";
import { FakeService } from "../../support/fake-service.ts";

/** A process of `env_1` and the fake one behind it. */
async function started(onStart: (process: FakeProcess) => void = () => {}) {
  const service = await FakeService.open({ onStart });
  service.add("env_1");
  const outwork = new Outwork({ url: service.url });
  const process = await outwork.environment("env_1").start({ argv: ["x"], stdin: "pipe" });
  const close = async () => {
    await outwork.close();
    await service[Symbol.asyncDispose]();
  };
  return { service, outwork, process, fake: service.process, [Symbol.asyncDispose]: close };
}

test("EX-12: writes say whether the process could take them", async () => {
  await using held = await started();
  const { process, fake, outwork } = held;
  assert.equal(await process.write("a"), "accepted");
  assert.equal(await process.write(Buffer.from("b")), "accepted");
  assert.equal(await process.end(), "accepted");
  assert.equal(await process.write("c"), "stdin-closed");
  fake.end(0);
  assert.equal(await process.write("d"), "stdin-closed");
  assert.equal(fake.stdin, "ab");
  const other = outwork.environment("env_1").process("other");
  await assert.rejects(other.write("e"), { code: "process-not-found" });
});

test("writes arrive in order and in pieces that a request can carry", async () => {
  await using held = await started();
  const { process, fake, service } = held;
  const large = "0123456789".repeat(60_000);
  await Promise.all([process.write(large), process.write("tail"), process.end()]);
  assert.ok(fake.stdin === `${large}tail`);
  assert.equal(fake.stdinEnded, true);
  assert.equal(service.requests.filter((request) => request.endsWith("/stdin")).length, 5);
});

test("a write that fails does not hold up the next", async () => {
  await using held = await started();
  const { process, fake } = held;
  await assert.rejects(process.write("a", { signal: AbortSignal.abort(new Error("no")) }), {
    message: "no",
  });
  assert.equal(await process.write("b"), "accepted");
  assert.equal(fake.stdin, "b");
});

test("OU-15: waiting lasts until `closed`, and reads nothing that is already there", async () => {
  await using held = await started((process) => process.print("x".repeat(1_000)));
  const { process, fake, service } = held;
  let over = false;
  const waiting = process.wait().finally(() => {
    over = true;
  });
  fake.exit(4, "signalled");
  fake.print("late");
  await process.inspect();
  assert.equal(over, false);
  fake.close();
  assert.deepEqual(await waiting, { exit_code: 4, cause: "signalled" });
  assert.ok(service.requests.some((request) => request.endsWith("/output")));
  const asked = service.requests.length;
  assert.deepEqual(await process.wait(), { exit_code: 4, cause: "signalled" });
  assert.equal(service.requests.length, asked + 1);
});

test("waiting for a process that has exited but is still open gives its code", async () => {
  await using held = await started((process) => process.exit(6));
  const waiting = held.process.wait();
  held.fake.close();
  assert.deepEqual(await waiting, { exit_code: 6, cause: "exited" });
});

test("whoever has seen `closed` is told at once that there is no more", async (t) => {
  await using held = await started((process) => process.end(0));
  for (const afterSeq of [2, 99]) {
    const rest = held.process.output({ afterSeq, signal: t.signal });
    assert.deepEqual(await rest.next(), { done: true, value: undefined });
  }
});

test("signals, resizes and ends say whether the process was still there", async () => {
  await using held = await started();
  const { process, fake } = held;
  assert.equal(await process.signal("SIGUSR1"), true);
  assert.equal(await process.resize({ rows: 10, cols: 20 }), true);
  assert.equal(await process.terminate({ graceMs: 0 }), true);
  assert.equal(await process.terminate(), false);
  assert.equal(await process.signal("SIGINT"), false);
  assert.deepEqual([fake.signals, fake.sizes], [["SIGUSR1", "SIGINT"], [{ rows: 10, cols: 20 }]]);
});

test("a closed client fails at once and not for ever", async (t) => {
  await using held = await started();
  const events = held.process.output({ signal: t.signal });
  const next = assert.rejects(events.next(), { message: "this client is closed" });
  await held.process.inspect();
  await held.outwork.close();
  await next;
  await assert.rejects(held.process.inspect(), { message: "this client is closed" });
});

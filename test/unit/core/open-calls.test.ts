import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenCalls } from "../../../src/core/open-calls.ts";
import { OutworkError } from "../../../src/errors.ts";
import { forever } from "../../support/fake-agent.ts";

const caller = new AbortController().signal;

test("a stream is in flight from its opening, read or not, until it is left", async () => {
  const calls = new OpenCalls();
  let source = caller;
  const stream = await calls.follow(caller, async (signal) => {
    source = signal;
    return (async function* () {
      yield 1;
    })();
  });
  assert.equal(calls.quietSince, null);
  await stream[Symbol.asyncIterator]().return?.();
  assert.notEqual(calls.quietSince, null);
  assert.ok(source.aborted);
});

test("a stream that is read to its end, or breaks, is no longer in flight", async () => {
  const calls = new OpenCalls();
  const whole = await calls.follow(caller, async () =>
    (async function* () {
      yield 1;
    })(),
  );
  const broken = await calls.follow(caller, async () =>
    (async function* () {
      yield 1;
      throw new Error("broken");
    })(),
  );
  for await (const _ of whole);
  assert.equal(calls.quietSince, null);
  await assert.rejects(async () => {
    for await (const _ of broken);
  }, /broken/);
  assert.notEqual(calls.quietSince, null);
});

test("ending answers what is in flight and whatever comes later, with the latest reason", async () => {
  const calls = new OpenCalls();
  const [lost, removed] = ["lost", "removed"].map(
    (reason) => new OutworkError("environment-gone", reason),
  ) as [OutworkError, OutworkError];
  const running = calls.run(caller, (signal) => forever(signal));
  calls.end(lost);
  await assert.rejects(running, lost);
  await assert.rejects(
    calls.run(caller, async () => 1),
    lost,
  );
  calls.end(removed);
  await assert.rejects(
    calls.follow(caller, async () => (async function* () {})()),
    removed,
  );
});

test("a caller who leaves ends its own call only", async () => {
  const calls = new OpenCalls();
  const leaving = new AbortController();
  const left = calls.run(leaving.signal, (signal) => forever(signal));
  const stays = calls.run(caller, async () => 1);
  leaving.abort();
  await assert.rejects(left, { name: "AbortError" });
  assert.equal(await stays, 1);
});

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { forever } from "../../support/fake-agent.ts";
import { FakePlacement, Substrate } from "../../support/fake-placement.ts";
import { registryOver, runningProcess } from "../../support/registry.ts";

const options = { signal: new AbortController().signal };

/** One environment under a clock that only the test moves. */
async function underClock(
  t: TestContext,
  life: { lifetime_ms?: number; idle_timeout_ms?: number },
) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const substrate = new Substrate();
  const registry = registryOver([new FakePlacement(substrate)]);
  t.after(() => registry[Symbol.asyncDispose]());
  await registry.recover();
  const { entry } = await registry.create({ id: "a", ...life }, options);
  const { agent } = substrate.get("a");
  return { substrate, registry, entry, agent, pass: (ms: number) => pass(t, ms) };
}

/** Lets time pass in small steps, with everything that is due done after each. */
async function pass(t: TestContext, ms: number): Promise<void> {
  const stepMs = 250;
  for (let passed = 0; passed < ms; passed += stepMs) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(stepMs);
  }
  await new Promise((resolve) => setImmediate(resolve));
}

describe("LC-05: the idle rule", () => {
  test("removes what nobody uses", async (t) => {
    const { registry, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    await pass(1_750);
    assert.equal(entry.state.kind, "ready");
    await pass(500);
    assert.throws(() => registry.get("a"), { code: "environment-gone" });
    assert.equal(entry.ending?.reason, "idle");
  });

  test("spares a live process, and counts from its end", async (t) => {
    const { agent, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    const process = runningProcess("p");
    agent.processes.push(process);
    await pass(10_250);
    assert.equal(entry.state.kind, "ready");
    const exited_at = new Date().toISOString();
    process.state = { kind: "closed", exit_code: 0, cause: "exited", exited_at };
    await pass(1_750);
    assert.equal(entry.state.kind, "ready");
    await pass(500);
    assert.equal(entry.ending?.reason, "idle");
  });

  test("spares a process that has exited and left something running", async (t) => {
    const { agent, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    const process = runningProcess("p");
    const exited_at = new Date().toISOString();
    process.state = { kind: "exited", exit_code: 0, cause: "exited", exited_at };
    agent.processes.push(process);
    await pass(10_000);
    assert.equal(entry.state.kind, "ready");
  });

  test("spares a call in flight, and counts from its answer", async (t) => {
    const { agent, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    const answer = new AbortController();
    agent.answer("outwork/exec_command", () => forever(answer.signal));
    const call = entry.call("outwork/exec_command", { cmd: "x" }, options);
    await pass(10_000);
    assert.equal(entry.state.kind, "ready");
    answer.abort();
    await assert.rejects(call);
    await pass(1_750);
    assert.equal(entry.state.kind, "ready");
    await pass(500);
    assert.equal(entry.ending?.reason, "idle");
  });

  test("spares an attached reader that gets nothing", async (t) => {
    const { agent, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    agent.stream("outwork/process/output", async function* (_, { signal }) {
      yield Buffer.from("x");
      await forever(signal);
    });
    const output = { process_id: "p", after_seq: 0 };
    const stream = await entry.read("outwork/process/output", output, options);
    await pass(5_000);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await pass(5_000);
    assert.equal(entry.state.kind, "ready");
    await iterator.return?.();
    await pass(2_500);
    assert.equal(entry.ending?.reason, "idle");
  });

  test("spares an environment whose agent does not say", async (t) => {
    const { agent, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    agent.answer("outwork/process/list", () => {
      throw new Error("the agent is away");
    });
    await pass(10_000);
    assert.equal(entry.state.kind, "ready");
  });

  test("does not count looking at the list as use", async (t) => {
    const { registry, entry, pass } = await underClock(t, { idle_timeout_ms: 2_000 });
    await pass(1_500);
    await registry.list(options);
    await pass(750);
    assert.equal(entry.ending?.reason, "idle");
  });
});

test("LC-04: a lifetime ends whatever runs, and says so", async (t) => {
  const { agent, entry, pass } = await underClock(t, { lifetime_ms: 60_000 });
  agent.processes.push(runningProcess("p"));
  await pass(59_750);
  assert.equal(entry.state.kind, "ready");
  await pass(500);
  assert.equal(entry.ending?.reason, "expired");
});

test("a lost environment is not idle, but its lifetime ends", async (t) => {
  const life = { lifetime_ms: 60_000, idle_timeout_ms: 2_000 };
  const { substrate, entry, pass } = await underClock(t, life);
  substrate.get("a").lose("container-stopped");
  await pass(30_000);
  assert.equal(entry.state.kind, "lost");
  await pass(30_250);
  assert.equal(entry.ending?.reason, "expired");
});

test("an expiry that fails is tried again", async (t) => {
  const { substrate, entry, registry, pass } = await underClock(t, { lifetime_ms: 1_000 });
  substrate.beforeDispose = async () => {
    throw new Error("the engine is away");
  };
  await pass(2_000);
  assert.deepEqual(entry.state, { kind: "stopping", reason: "expired" });
  substrate.beforeDispose = async () => {};
  await pass(31_000);
  assert.throws(() => registry.get("a"), { code: "environment-gone" });
});

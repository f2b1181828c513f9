import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OutworkError } from "../../../src/errors.ts";
import { forever } from "../../support/fake-agent.ts";
import { FakePlacement, Substrate } from "../../support/fake-placement.ts";
import { registryOver, runningProcess } from "../../support/registry.ts";

const never = new AbortController();
const options = { signal: never.signal };

/** A registry over a fresh substrate, recovered. */
async function fresh() {
  const substrate = new Substrate();
  const registry = registryOver([new FakePlacement(substrate)]);
  await registry.recover();
  return { substrate, registry };
}

/** What the problem of a rejection says to programs. */
function problem(code: string, facts: object = {}) {
  return (error: unknown) => {
    assert.ok(error instanceof OutworkError, String(error));
    assert.deepEqual({ code: error.code, ...error.facts }, { code, ...facts });
    return true;
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("creating an environment", () => {
  test("fills in every default", async () => {
    const { registry } = await fresh();
    const { entry, created } = await registry.create({ id: "a" }, options);
    const { created_at, ...shown } = await entry.describe(options);
    assert.ok(created);
    assert.equal(entry.spec.policy.preset, "workspace-write");
    assert.equal(entry.spec.policy.network, "off");
    assert.match(created_at, /Z$/);
    assert.deepEqual(shown, {
      id: "a",
      placement: "embedded",
      image: null,
      state: { kind: "ready" },
      policy: entry.spec.policy,
      workspace: "/workspace",
      variable_names: [],
      limits: {},
      labels: {},
      expires_at: null,
      idle_timeout_ms: null,
      process_count: 0,
    });
  });

  test("makes up an id when none is given", async () => {
    const { registry } = await fresh();
    const { entry } = await registry.create({}, options);
    assert.match(entry.spec.id, /^env_[a-z0-9]{16}$/);
  });

  test("LC-13: a hundred creates of one id at once launch once and give one environment", async () => {
    const { registry, substrate } = await fresh();
    substrate.beforeLaunch = turn;
    const results = await Promise.all(
      Array.from({ length: 100 }, () => registry.create({ id: "one" }, new AbortController())),
    );
    assert.equal(substrate.launches, 1);
    assert.equal(new Set(results.map(({ entry }) => entry)).size, 1);
    assert.equal(results.filter(({ created }) => created).length, 1);
  });

  test("the same id with another spec is a conflict that names what differs", async () => {
    const { registry } = await fresh();
    await registry.create({ id: "a", labels: { x: "1" } }, options);
    await assert.rejects(
      registry.create({ id: "a", variables: { A: "1" } }, options),
      problem("environment-conflict", { environment_id: "a", differs: ["variables", "labels"] }),
    );
  });

  test("LC-15: an image is refused where it would do nothing, and needed where it counts", async () => {
    const docker = new FakePlacement(new Substrate(), "docker");
    const registry = registryOver([docker, new FakePlacement(new Substrate())]);
    await registry.recover();
    const refused = { name: "OutworkError", code: "validation-failed" };
    await assert.rejects(registry.create({ image: "debian" }, options), refused);
    await assert.rejects(registry.create({ placement: "docker" }, options), refused);
    await registry.create({ placement: "docker", image: "debian" }, options);
  });

  test("a placement that is not set up is refused with those that are", async () => {
    const { registry } = await fresh();
    await assert.rejects(
      registry.create({ placement: "docker", image: "debian" }, options),
      problem("validation-failed", {
        issues: [{ path: "placement", message: "docker is not set up; this service has embedded" }],
      }),
    );
  });

  test("a policy above the ceiling is refused before anything is launched", async () => {
    const { registry, substrate } = await fresh();
    await assert.rejects(registry.create({ policy: { preset: "danger-full-access" } }, options), {
      code: "ceiling-exceeded",
    });
    assert.equal(substrate.launches, 0);
  });

  test("a launch that fails is answered to all who wait, and the id stays free", async () => {
    const { registry, substrate } = await fresh();
    const broken = new OutworkError("enforcement-missing", "no bubblewrap");
    substrate.beforeLaunch = async () => {
      throw broken;
    };
    const both = [registry.create({ id: "a" }, options), registry.create({ id: "a" }, options)];
    for (const outcome of await Promise.allSettled(both)) {
      assert.deepEqual(outcome, { status: "rejected", reason: broken });
    }
    substrate.beforeLaunch = async () => {};
    assert.ok((await registry.create({ id: "a" }, options)).created);
  });

  test("a launch is undone when the last caller has left, not before", async () => {
    const { registry, substrate } = await fresh();
    substrate.beforeLaunch = forever;
    const [first, second] = [new AbortController(), new AbortController()];
    const left = registry.create({ id: "a" }, first);
    const stays = registry.create({ id: "a" }, second);
    first.abort();
    await assert.rejects(left, { name: "AbortError" });
    assert.equal(registry.get("a").state.kind, "starting");
    second.abort();
    await assert.rejects(stays, { name: "AbortError" });
    await turn();
    assert.throws(() => registry.get("a"), { code: "environment-gone" });
  });

  test("an id whose launch is being undone is launched again for who asks next", async () => {
    const { registry, substrate } = await fresh();
    substrate.beforeLaunch = (signal) => forever(signal).catch(turn);
    const first = new AbortController();
    const left = registry.create({ id: "a" }, first);
    first.abort();
    await assert.rejects(left);
    substrate.beforeLaunch = async () => {};
    assert.ok((await registry.create({ id: "a" }, options)).created);
    assert.equal(registry.get("a").state.kind, "ready");
  });

  test("a call on an environment that is starting waits for it", async () => {
    const { registry, substrate } = await fresh();
    substrate.beforeLaunch = turn;
    const creating = registry.create({ id: "a" }, options);
    assert.deepEqual(await registry.get("a").call("outwork/process/list", {}, options), {
      processes: [],
    });
    await creating;
  });
});

describe("removing an environment", () => {
  test("leaves nothing behind, and a late caller learns how it ended", async () => {
    const { registry, substrate } = await fresh();
    const { entry } = await registry.create({ id: "a" }, options);
    await registry.remove("a");
    assert.deepEqual([...substrate.environments.keys()], []);
    const ending = { environment_id: "a", ...entry.ending };
    assert.throws(() => registry.get("a"), problem("environment-gone", ending));
    assert.equal(entry.ending?.reason, "removed");
  });

  test("is one removal for all who ask, and none for an id that has gone", async () => {
    const { registry, substrate } = await fresh();
    let disposals = 0;
    substrate.beforeDispose = async () => {
      disposals += 1;
      await turn();
    };
    await registry.create({ id: "a" }, options);
    await Promise.all([registry.remove("a"), registry.remove("a")]);
    await registry.remove("a");
    assert.equal(disposals, 1);
    await assert.rejects(
      registry.remove("b"),
      problem("environment-not-found", { environment_id: "b" }),
    );
  });

  test("ends calls and streams in flight with the reason", async () => {
    const { registry, substrate } = await fresh();
    const { entry } = await registry.create({ id: "a" }, options);
    const { agent } = substrate.get("a");
    agent.answer("outwork/process/get", (_, { signal }) => forever(signal));
    agent.stream("outwork/process/output", async function* (_, { signal }) {
      yield Buffer.from("x");
      await forever(signal);
    });
    const call = entry.call("outwork/process/get", { process_id: "p" }, options);
    const stream = await entry.read(
      "outwork/process/output",
      { process_id: "p", after_seq: 0 },
      options,
    );
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await Promise.all([
      assert.rejects(call, { code: "environment-gone" }),
      assert.rejects(reading, { code: "environment-gone" }),
      registry.remove("a"),
    ]);
  });

  test("LC-07: a name is free at once, fifty times at speed, and old handles stay fenced", async () => {
    const { registry, substrate } = await fresh();
    substrate.beforeDispose = turn;
    const { entry: old } = await registry.create({ id: "a" }, options);
    for (let round = 0; round < 50; round += 1) {
      const removing = registry.remove("a");
      const { created } = await registry.create({ id: "a" }, options);
      assert.ok(created);
      await removing;
    }
    await assert.rejects(old.call("outwork/process/list", {}, options), {
      code: "environment-gone",
    });
    assert.equal(substrate.environments.size, 1);
    assert.equal((await registry.list(options)).length, 1);
  });

  test("that fails can be tried again, and calls stay refused in between", async () => {
    const { registry, substrate } = await fresh();
    await registry.create({ id: "a" }, options);
    const away = new OutworkError("placement-unavailable", "the engine is away");
    substrate.beforeDispose = async () => {
      throw away;
    };
    await assert.rejects(registry.remove("a"), away);
    const entry = registry.get("a");
    assert.deepEqual(entry.state, { kind: "stopping", reason: "removed" });
    await assert.rejects(entry.call("outwork/process/list", {}, options), {
      code: "environment-gone",
    });
    substrate.beforeDispose = async () => {};
    await registry.remove("a");
    assert.equal(substrate.environments.size, 0);
  });

  test("in the middle of its launch undoes the launch", async () => {
    const { registry, substrate } = await fresh();
    substrate.beforeLaunch = forever;
    const creating = registry.create({ id: "a" }, options);
    await Promise.all([assert.rejects(creating), registry.remove("a")]);
    assert.throws(() => registry.get("a"), { code: "environment-gone" });
    assert.equal(substrate.environments.size, 0);
  });
});

describe("losing an environment", () => {
  test("LC-04: calls are answered with cause and time, and it stays listed until removed", async () => {
    const { registry, substrate } = await fresh();
    const { entry } = await registry.create({ id: "a" }, options);
    substrate.get("a").lose("out-of-memory");
    await turn();
    const [listed] = await registry.list(options);
    assert.equal(listed?.process_count, null);
    assert.ok(listed?.state.kind === "lost");
    const { reason, at } = listed.state;
    assert.equal(reason, "out-of-memory");
    const gone = problem("environment-gone", { environment_id: "a", reason, at });
    await assert.rejects(entry.call("outwork/process/list", {}, options), gone);
    await assert.rejects(registry.create({ id: "a" }, options), gone);
    await registry.remove("a");
    assert.deepEqual(await registry.list(options), []);
    assert.ok((await registry.create({ id: "a" }, options)).created);
  });

  test("ends a call that would otherwise hang", async () => {
    const { registry, substrate } = await fresh();
    const { entry } = await registry.create({ id: "a" }, options);
    substrate.get("a").agent.answer("outwork/hello", (_, { signal }) => forever(signal));
    const call = entry.call("outwork/hello", {}, options);
    substrate.get("a").lose("unreachable");
    await assert.rejects(call, { code: "environment-gone" });
  });
});

test("EX-09: an agent that does not answer blocks neither listing nor other calls", async (t) => {
  const awake = setInterval(() => {}, 1_000);
  t.after(() => clearInterval(awake));
  const { registry, substrate } = await fresh();
  await registry.create({ id: "stuck" }, options);
  const { entry: healthy } = await registry.create({ id: "healthy" }, options);
  const { agent } = substrate.get("stuck");
  agent.answer("outwork/process/list", (_, { signal }) => forever(signal));
  agent.answer("outwork/exec_command", (_, { signal }) => forever(signal));
  agent.answer("outwork/process/terminate", () => ({ delivered: true }));
  const caller = new AbortController();
  t.after(() => caller.abort());
  const stuck = registry.get("stuck").call("outwork/exec_command", { cmd: "cat" }, caller);
  stuck.catch(() => {});
  substrate.get("healthy").agent.processes.push(runningProcess("p"));
  const listed = await registry.list(options);
  assert.deepEqual(
    listed.map(({ id, process_count }) => ({ id, process_count })),
    [
      { id: "stuck", process_count: null },
      { id: "healthy", process_count: 1 },
    ],
  );
  const terminate = { process_id: "p", grace_ms: 0 };
  assert.deepEqual(
    await registry.get("stuck").call("outwork/process/terminate", terminate, options),
    { delivered: true },
  );
  await healthy.call("outwork/process/list", {}, options);
});

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Bridge } from "../../src/placements/docker/bridge.ts";
import { Engine } from "../../src/placements/docker/engine.ts";
import { EngineRefusal } from "../../src/placements/docker/engine-call.ts";
import { findImage } from "../../src/placements/docker/images.ts";
import { openTestDocker, specOf } from "../support/docker.ts";
import { fakeEngine, type Route, reply, silence, WELL } from "../support/fake-engine.ts";
import { frame } from "../support/frames.ts";

async function placementOn(t: TestContext, ...faults: Route[]) {
  const fake = await fakeEngine(t, [...faults, ...WELL]);
  const { placement, options } = await openTestDocker({ docker: { host: fake.host } }, null);
  const doors = () => readdir(join(options.stateFolder, "docker"));
  const isUndone = async () => {
    const last = fake.requests.at(-1) ?? "";
    return last.startsWith("DELETE /containers/c1") && (await doors()).length === 0;
  };
  return { fake, placement, isUndone };
}

test("DK-05: a call that the engine never answers holds up no other", async (t) => {
  const fake = await fakeEngine(t, [
    { on: /GET .*\/stuck\/json/, do: silence },
    { on: /GET .*\/fine\/json/, do: reply(200, { Id: "fine" }) },
    { on: /DELETE/, do: reply(204) },
  ]);
  const engine = new Engine(fake);
  const caller = new AbortController();
  const stuck = engine.inspectContainer("stuck", { signal: caller.signal });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => {
      const { signal } = new AbortController();
      return engine.inspectContainer("fine", { signal });
    }),
  );
  await engine.removeContainer("fine", { signal: t.signal });
  assert.equal(answers.length, 20);
  caller.abort(new Error("enough"));
  await assert.rejects(stuck, { message: "enough" });
});

test("FS-07: an upload that the engine refuses half way fails at once and leaves nothing open", async (t) => {
  const body = '{"message":"full"}';
  const answer = `HTTP/1.1 500 no\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const refuse: Route["do"] = (_, request) =>
    request.once("data", () => request.resume().socket.write(answer));
  const fake = await fakeEngine(t, [{ on: /PUT .*archive/, do: refuse }]);
  const endless = Readable.from(zeros());
  await assert.rejects(
    new Engine(fake).putFiles("c", "/", endless, { signal: t.signal }),
    (error) => error instanceof EngineRefusal && error.message === "full",
  );
  assert.equal(endless.destroyed, true);
  while (fake.connections() > 0) await sleep(5);
});

async function* zeros(): AsyncGenerator<Buffer> {
  for (;;) {
    yield Buffer.alloc(65_536);
    await sleep(1);
  }
}

test("DK-07: a container whose start the engine refuses is removed, and the engine is quoted", async (t) => {
  for (const status of [500, 409]) {
    const start = { on: /POST .*\/start/, do: reply(status, { message: "no space left" }) };
    const { placement, isUndone } = await placementOn(t, start);
    await assert.rejects(placement.launch(specOf("env"), { signal: t.signal }), {
      code: "start-failed",
      message: "The engine could not start the container of env: no space left.",
    });
    assert.equal(await isUndone(), true);
  }
});

test("DK-07: a start that is given up while the engine hangs is undone", async (t) => {
  const caller = new AbortController();
  const giveUp = () => caller.abort(new Error("enough"));
  const { placement, isUndone } = await placementOn(t, { on: /POST .*\/start/, do: giveUp });
  const launch = placement.launch(specOf("env"), { signal: caller.signal });
  await assert.rejects(launch, { message: "enough" });
  assert.equal(await isUndone(), true);
});

test("DK-07: what an agent says that ends before it is ready becomes the error", async (t) => {
  const attach = (connection: { end(bytes: Buffer): void }) =>
    connection.end(frame("stderr", Buffer.from("Segmentation fault\n")));
  const inspect = reply(200, { State: { OOMKilled: false } });
  const { placement, isUndone } = await placementOn(
    t,
    { on: /POST .*\/attach/, upgrade: attach },
    { on: /GET .*\/c1\/json/, do: inspect },
  );
  await assert.rejects(placement.launch(specOf("env"), { signal: t.signal }), {
    code: "start-failed",
    message: "The agent of env ended before it was ready: Segmentation fault.",
  });
  assert.equal(await isUndone(), true);
});

test("DK-07: an agent that ran out of memory at its start says which limit was too small", async (t) => {
  const inspect = reply(200, { State: { OOMKilled: true } });
  const { placement } = await placementOn(
    t,
    { on: /POST .*\/attach/, upgrade: (connection) => connection.end() },
    { on: /GET .*\/c1\/json/, do: inspect },
  );
  const limits = { memory_bytes: 16_777_216 };
  await assert.rejects(placement.launch(specOf("env", { limits }), { signal: t.signal }), {
    code: "start-failed",
    message: /does not fit into 16777216 bytes of memory: raise limits.memory_bytes/,
  });
});

test("a problem that the agent reports at its start is the launch's problem", async (t) => {
  const problem = {
    type: "urn:outwork:enforcement-missing",
    title: "Cannot be enforced here",
    status: 501,
    detail: "Commands cannot be sandboxed here.",
    retryable: false,
    missing: "user-namespaces",
  };
  const line = `${JSON.stringify({ problem })}\n`;
  const { placement } = await placementOn(t, {
    on: /POST .*\/attach/,
    upgrade: (connection) => connection.write(frame("stdout", Buffer.from(line))),
  });
  await assert.rejects(placement.launch(specOf("env"), { signal: t.signal }), {
    code: "enforcement-missing",
    facts: { missing: "user-namespaces" },
  });
});

test("limits that the engine does not enforce are refused by name, and nothing is created", async (t) => {
  const info = reply(200, { Architecture: "x86_64", MemoryLimit: false, PidsLimit: true });
  const { fake, placement } = await placementOn(t, { on: /GET \/info/, do: info });
  const limits = { memory_bytes: 67_108_864, pids: 64, cpus: 1 };
  await assert.rejects(placement.launch(specOf("env", { limits }), { signal: t.signal }), {
    code: "enforcement-missing",
    facts: { missing: ["memory_bytes", "cpus"] },
  });
  const created = fake.requests.filter((asked) => asked.includes("name=outwork-env-"));
  assert.deepEqual(created, []);
});

test("an engine of another architecture is refused, since it cannot run our programs", async (t) => {
  const info = reply(200, { Architecture: "riscv64" });
  const { placement } = await placementOn(t, { on: /GET \/info/, do: info });
  await assert.rejects(placement.launch(specOf("env"), { signal: t.signal }), {
    code: "enforcement-missing",
    message: /riscv64/,
  });
  const checks = await placement.check({ signal: t.signal });
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  assert.deepEqual(failed, ["architecture", "limits", "seccomp", "sandbox in a container"]);
});

test("an image that a pull announces and then fails to deliver is not found", async (t) => {
  const lines = ['{"status":"Pulling"}', '{"error":"manifest unknown"}', ""].join("\n");
  const fake = await fakeEngine(t, [
    { on: /GET \/images\//, do: reply(404, { message: "No such image" }) },
    { on: /POST \/images\/create/, do: (response) => response.writeHead(200).end(lines) },
  ]);
  await assert.rejects(findImage(new Engine(fake), "team/none:1", { signal: t.signal }), {
    code: "image-not-found",
    message: "The engine has no image team/none:1 and could not pull it: manifest unknown.",
  });
});

test("DK-01: a bridge whose engine keeps the connection open ends when its user ends it", async (t) => {
  const fake = await fakeEngine(t, [
    { on: /POST \/containers\/c1\/exec/, do: reply(201, { Id: "e1" }) },
    {
      on: /POST \/exec\/e1\/start/,
      upgrade: (connection) => connection.write(frame("stdout", Buffer.from("hello"))),
    },
  ]);
  const wait = { signal: t.signal };
  const bridge = new Bridge(await new Engine(fake).exec("c1", ["bridge"], wait));
  for await (const chunk of bridge) {
    assert.equal(String(chunk), "hello");
    break;
  }
  while (fake.connections() > 0) await sleep(5);
});

test("OU-07: bytes that come in one packet with the engine's upgrade are not lost", async (t) => {
  const fake = await fakeEngine(t, [
    { on: /POST \/containers\/c1\/exec/, do: reply(201, { Id: "e1" }) },
    {
      on: /POST \/exec\/e1\/start/,
      upgrade: (connection) => connection.end(frame("stdout", Buffer.from("at once"))),
    },
  ]);
  const wait = { signal: t.signal };
  const bridge = new Bridge(await new Engine(fake).exec("c1", ["bridge"], wait));
  assert.equal((await buffer(bridge)).toString(), "at once");
});

test("DK-06: an engine that leaves out what it may is an engine still", async (t) => {
  const info = reply(200, { Architecture: "x86_64", SecurityOptions: null });
  const start = { on: /POST .*\/start/, do: reply(500, { cause: "c", message: "crun: no" }) };
  const image = reply(200, { Id: "sha256:0", Config: { Env: null } });
  const { placement } = await placementOn(
    t,
    { on: /GET \/info/, do: info },
    { on: /GET \/images\//, do: image },
    { on: /POST \/volumes\/create/, do: reply(201, {}) },
    { on: /GET \/volumes\?/, do: reply(200, { Volumes: null }) },
    { on: /DELETE /, do: reply(200, []) },
    start,
  );
  await assert.rejects(placement.launch(specOf("env"), { signal: t.signal }), {
    message: "The engine could not start the container of env: crun: no.",
  });
});

test("PT-03, DK-08, OU-07: no command is an exec of the engine, so its races are not ours", async (t) => {
  const { fake, placement } = await placementOn(t, { on: /POST .*\/start/, do: reply(500, {}) });
  await assert.rejects(placement.launch(specOf("env"), { signal: t.signal }));
  const execs = fake.requests.filter((asked) => /\/(exec|resize)/.test(asked));
  assert.deepEqual(execs, []);
});

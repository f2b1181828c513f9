import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { uriOf } from "../../src/exec-server/path-uri.ts";
import type { Processes } from "../../src/exec-server/ports.ts";
import { openFixture } from "../support/exec-server/fixture.ts";
import { script } from "../support/exec-server/starts.ts";

const MiB = 1_048_576;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the heap and of buffers, after everything that can go has gone; some of it goes later. */
async function heldBytes(): Promise<number> {
  for (let least = Number.POSITIVE_INFINITY; ; ) {
    collectGarbage();
    const { heapUsed, arrayBuffers, external } = process.memoryUsage();
    const now = heapUsed + arrayBuffers + external;
    if (now > least - MiB / 4) return now;
    least = now;
    await turns(100);
  }
}

function turns(count: number): Promise<void> {
  return new Promise((resolve) => {
    const step = (left: number) => (left === 0 ? resolve() : setImmediate(step, left - 1));
    step(count);
  });
}

test("a client that floods without reading is not read from any more, and costs little", async (t) => {
  const fixture = await openFixture(t);
  const path = join(fixture.root, "large");
  await writeFile(path, Buffer.alloc(MiB));
  const client = await fixture.ready();
  client.socket.pause();
  const before = await heldBytes();
  const request = JSON.stringify({ id: 1, method: "fs/readFile", params: { path: uriOf(path) } });
  for (let at = 0; at < 64; at += 1) client.raw(request);
  await turns(1000);
  const grown = (await heldBytes()) - before;
  assert.ok(grown < 32 * MiB, `${grown} bytes`);
  client.socket.resume();
  await client.find(() => client.messages.length > 64);
});

test("a process whose output nobody reads is held up instead of filling memory", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const other = await fixture.ready();
  client.socket.pause();
  client.send("process/start", script("p", "exec cat /dev/zero"));
  while (fixture.processes.started.length === 0) await turns(1);
  const before = await heldBytes();
  await turns(3000);
  const grown = (await heldBytes()) - before;
  assert.ok(grown < 64 * MiB, `${grown} bytes`);
  assert.deepEqual(await other.result("environment/status"), { status: "ready" });
});

test("JSON without end of depth or number is refused, and the connection goes on", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.raw("[".repeat(10 * MiB));
  assert.match(String((await client.answer(-1)).error?.message), /recursion limit exceeded/);
  client.messages.length = 0;
  client.raw(`[${"0,".repeat(5 * MiB)}0]`);
  assert.match(String((await client.answer(-1)).error?.message), /262144 JSON values/);
  assert.deepEqual(await client.result("environment/status"), { status: "ready" });
});

test("a short name inside a huge message does not keep the message", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const before = await heldBytes();
  for (let at = 0; at < 5; at += 1) {
    const processId = `a process with quite a long name ${at}`;
    const params = JSON.stringify(script(processId, "sleep 600"));
    const padding = "x".repeat(8 * MiB);
    client.raw(
      `{"id":${1000 + at},"method":"process/start","pad":"${padding}","params":${params}}`,
    );
    assert.equal((await client.answer(1000 + at)).result?.processId, processId);
  }
  const grown = (await heldBytes()) - before;
  assert.ok(grown < 16 * MiB, `${grown} bytes`);
});

test("ten thousand starts in one go are all answered, a bounded number at a time", async (t) => {
  let underWay = 0;
  let most = 0;
  const processes: Processes = {
    start: async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await turns(1);
      underWay -= 1;
      throw Object.assign(new Error("no such program"), { code: "ENOENT" });
    },
  };
  const client = await (await openFixture(t, { processes })).ready();
  const ids = Array.from({ length: 10_000 }, (_, at) =>
    client.send("process/start", script(`p${at}`, "exit 0")),
  );
  const { error } = await client.answer(ids.at(-1));
  assert.deepEqual(error?.data, { kind: "spawnNotFound" });
  assert.equal(client.messages.filter((message) => message.error !== undefined).length, 10_000);
  assert.ok(most < 1000, `${most} at once`);
});

test("more waiting reads than may wait are answered at once", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result("process/start", script("p", "sleep 600"));
  const poll = { processId: "p", waitMs: 600_000 };
  const polls = Array.from({ length: 1025 }, () => client.send("process/read", poll));
  assert.equal((await client.answer(polls.at(-1))).result?.exited, false);
  assert.deepEqual(await client.result("process/terminate", { processId: "p" }), { running: true });
  for (const id of polls.slice(0, -1)) assert.equal((await client.answer(id)).result?.exited, true);
});

test("answers quote what was sent, but not at any length", async (t) => {
  const client = await (await openFixture(t)).ready();
  const long = "x".repeat(MiB);
  for (const [method, params] of [
    [long, {}],
    ["process/signal", { processId: "p", signal: long }],
    ["process/start", script("p", "", { env: long })],
    ["fs/readFile", { path: `${long}:x` }],
    ["initialize", { clientName: "x", resumeSessionId: long }],
  ] as const) {
    const error = await client.error(method, params);
    assert.ok(JSON.stringify(error).length < 4096, method.slice(0, 20));
  }
});

test("a connection beyond the limit is told to come back later", async (t) => {
  const fixture = await openFixture(t);
  const clients = await Promise.all(Array.from({ length: 256 }, () => fixture.connect()));
  const refused = await fixture.connect();
  assert.equal((await refused.closing()).code, 1013);
  clients[0]?.drop();
  await clients[0]?.closing();
  for (let served = false; !served; ) {
    const next = await fixture.connect();
    served = await next.handshake().then(
      () => true,
      () => false,
    );
  }
});

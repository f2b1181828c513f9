import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { uriOf } from "../../src/exec-server/path-uri.ts";
import { type Fixture, openFixture } from "../support/exec-server/fixture.ts";
import { encode, type ProtocolClient } from "../support/exec-server/protocol-client.ts";
import { script } from "../support/exec-server/starts.ts";

/** A session whose connection is gone. */
async function left(fixture: Fixture, act: (client: ProtocolClient) => Promise<unknown>) {
  const client = await fixture.connect();
  const session = await client.handshake();
  await act(client);
  client.drop();
  await client.closing();
  return session;
}

/** Resumes as soon as the server has noticed that the old connection is gone. */
async function resumed(fixture: Fixture, session: string): Promise<ProtocolClient> {
  const client = await fixture.connect();
  for (;;) {
    const params = { clientName: "test", resumeSessionId: session };
    const { result, error } = await client.call("initialize", params);
    if (error?.code === -32010) continue;
    assert.equal(result?.sessionId, session, JSON.stringify(error));
    client.notify("initialized");
    return client;
  }
}

test("ES-03: processes outlive their connection and are found again under the session", async (t) => {
  const fixture = await openFixture(t);
  const session = await left(fixture, async (client) => {
    for (const id of ["a", "b", "c"]) {
      await client.result("process/start", script(id, "cat", { pipeStdin: true }));
    }
    await client.result("process/write", { processId: "a", chunk: encode("one\n"), writeId: "1" });
    await client.outputIncludes("a", "one");
  });
  const client = await resumed(fixture, session);
  const { chunks, nextSeq } = await client.result("process/read", { processId: "a", afterSeq: 0 });
  assert.deepEqual([chunks, nextSeq], [[{ seq: 1, stream: "stdout", chunk: encode("one\n") }], 2]);
  await client.result("process/write", { processId: "a", chunk: encode("two\n"), writeId: "2" });
  await client.outputIncludes("a", "two");
  assert.deepEqual(
    client.eventsOf("a").map(({ params }) => params?.seq),
    [2],
  );
  for (const id of ["a", "b", "c"]) {
    assert.deepEqual(await client.result("process/terminate", { processId: id }), {
      running: true,
    });
    await client.closedOf(id);
  }
});

test("ES-03: output of a detached session is read, not pushed, and nothing is missing", async (t) => {
  const fixture = await openFixture(t);
  const flag = join(fixture.root, "flag");
  const session = await left(fixture, async (client) => {
    const waits = `echo before; while [ ! -e ${flag} ]; do sleep 0.02; done; echo after; exec cat`;
    await client.result("process/start", script("p", waits, { pipeStdin: true }));
    await client.outputIncludes("p", "before");
  });
  await writeFile(flag, "");
  const client = await resumed(fixture, session);
  const seen: string[] = [];
  for (let afterSeq = 1; !seen.join("").includes("after"); ) {
    const read = await client.result("process/read", { processId: "p", afterSeq, waitMs: 1000 });
    const chunks = read.chunks as { seq: number; chunk: string }[];
    seen.push(...chunks.map(({ chunk }) => Buffer.from(chunk, "base64").toString()));
    afterSeq = Math.max(afterSeq, ...chunks.map(({ seq }) => seq));
  }
  assert.equal(seen.join(""), "after\n");
  await client.result("process/terminate", { processId: "p" });
});

test("a session that is still attached is not taken from an unknown newcomer", async (t) => {
  const fixture = await openFixture(t);
  const first = await fixture.connect();
  const session = await first.handshake();
  const second = await fixture.connect();
  const resume = { clientName: "test", resumeSessionId: session };
  assert.deepEqual(await second.error("initialize", resume), {
    code: -32010,
    message: `session ${session} is already attached to another connection`,
  });
  assert.deepEqual(await first.result("environment/status"), { status: "ready" });
  first.drop();
  await first.closing();
  await resumed(fixture, session);
});

test("ES-15: the same principal takes its session over at once, five times in a row", async (t) => {
  const fixture = await openFixture(t);
  const principal = "alice";
  let client = await fixture.connect({ principal });
  const session = await client.handshake();
  const flags = join(fixture.root, "flag");
  const ticks = `n=0; while :; do n=$((n+1)); while [ ! -e ${flags}$n ]; do sleep 0.02; done; echo $n; done`;
  await client.result("process/start", script("p", ticks));
  for (let round = 1; round <= 5; round += 1) {
    const old = client;
    client = await fixture.ready({ principal, resume: session });
    assert.deepEqual(await old.closing(), {
      code: 4001,
      reason: "session resumed by another connection",
    });
    const before = old.eventsOf("p").length;
    await writeFile(`${flags}${round}`, "");
    await client.outputIncludes("p", `${round}\n`);
    assert.equal(old.eventsOf("p").length, before);
    assert.deepEqual(
      client.eventsOf("p").map(({ params }) => params?.seq),
      [round],
    );
  }
  await client.result("process/terminate", { processId: "p" });
});

test("a session is unknown to everybody but the principal it was made for", async (t) => {
  const fixture = await openFixture(t);
  const session = await (await fixture.connect({ principal: "alice" })).handshake();
  for (const options of [{ principal: "mallory" }, {}]) {
    const other = await fixture.connect(options);
    const resume = { clientName: "test", resumeSessionId: session };
    assert.deepEqual(await other.error("initialize", resume), {
      code: -32600,
      message: `unknown session id ${session}`,
    });
  }
});

test("a failed resume can be followed by a fresh start on the same connection", async (t) => {
  const client = await (await openFixture(t)).connect();
  const resume = { clientName: "test", resumeSessionId: "no-such-session" };
  assert.equal((await client.error("initialize", resume)).code, -32600);
  await client.handshake();
  assert.deepEqual(await client.result("environment/status"), { status: "ready" });
});

test("file handles end with their connection", async (t) => {
  const fixture = await openFixture(t);
  await writeFile(join(fixture.root, "f"), "x");
  const session = await left(fixture, (client) =>
    client.result("fs/open", { handleId: "h", path: uriOf(join(fixture.root, "f")) }),
  );
  const client = await resumed(fixture, session);
  assert.deepEqual(await client.error("fs/readBlock", { handleId: "h", offset: 0, len: 1 }), {
    code: -32004,
    message: "unknown file handle `h`",
  });
});

test("a detached session ends after its time, and its processes with it", async (t) => {
  const fixture = await openFixture(t, { detachedSessionMs: 150 });
  const session = await left(fixture, (client) =>
    client.result("process/start", script("p", "sleep 600")),
  );
  await fixture.processes.started[0]?.whenClosed;
  const client = await fixture.connect();
  const resume = { clientName: "test", resumeSessionId: session };
  assert.equal((await client.error("initialize", resume)).message, `unknown session id ${session}`);
});

test("coming back in time stops the clock", async (t) => {
  const fixture = await openFixture(t, { detachedSessionMs: 300 });
  const session = await left(fixture, (client) =>
    client.result("process/start", script("p", "sleep 600")),
  );
  const client = await resumed(fixture, session);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.deepEqual(await client.result("process/terminate", { processId: "p" }), { running: true });
});

test("ES-04: a start that is cut off happened once or not at all, and the session knows", async (t) => {
  const fixture = await openFixture(t);
  const start = JSON.stringify({
    id: 9,
    method: "process/start",
    params: script("p", "sleep 600"),
  });
  for (const cut of [0, 1, Math.floor(start.length / 2), start.length - 1, start.length]) {
    const before = fixture.processes.started.length;
    const session = await left(fixture, async (client) => {
      const whole = cut === start.length;
      await new Promise((sent) => client.socket.send(start.slice(0, cut), { fin: whole }, sent));
      if (whole) await client.result("environment/status");
    });
    const client = await resumed(fixture, session);
    const again = await client.call("process/start", script("p", "sleep 600"));
    const known = again.error?.message === "process p already exists";
    assert.equal(known, cut === start.length);
    assert.equal(fixture.processes.started.length, before + 1);
    assert.deepEqual(await client.result("process/terminate", { processId: "p" }), {
      running: true,
    });
  }
});

test("ES-04: a write sent again after a cut is accepted and written once", async (t) => {
  const fixture = await openFixture(t);
  const write = { processId: "p", chunk: encode("once\n"), writeId: "1" };
  const session = await left(fixture, async (client) => {
    await client.result("process/start", script("p", "cat", { pipeStdin: true }));
    client.send("process/write", write);
    await client.outputIncludes("p", "once");
  });
  const client = await resumed(fixture, session);
  assert.deepEqual(await client.result("process/write", write), { status: "accepted" });
  const mark = { processId: "p", chunk: encode("mark\n"), writeId: "2" };
  assert.deepEqual(await client.result("process/write", mark), { status: "accepted" });
  await client.outputIncludes("p", "mark");
  assert.equal(client.outputOf("p"), "mark\n");
  await client.result("process/terminate", { processId: "p" });
});

test("disposing the server ends connections and processes, and says why", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  await client.result("process/start", script("p", "sleep 600"));
  fixture.server[Symbol.dispose]();
  assert.deepEqual(await client.closing(), { code: 1001, reason: "the executor is going away" });
  await fixture.processes.started[0]?.whenClosed;
});

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Processes } from "../../src/exec-server/ports.ts";
import { openFixture } from "../support/exec-server/fixture.ts";
import { LocalProcesses } from "../support/exec-server/local-processes.ts";
import { encode, type Message } from "../support/exec-server/protocol-client.ts";
import { script } from "../support/exec-server/starts.ts";

function summary({ method, params }: Message) {
  const { processId: _, ...rest } = params ?? {};
  return { [method?.slice("process/".length) ?? ""]: rest };
}

test("a process tells its output, its exit and its close, numbered without gaps", async (t) => {
  const client = await (await openFixture(t)).ready();
  const start = await client.result("process/start", script("p", "echo hi; exit 3"));
  assert.deepEqual([start.processId, start.sandboxType], ["p", "none"]);
  await client.closedOf("p");
  assert.deepEqual(client.eventsOf("p").map(summary), [
    { output: { seq: 1, stream: "stdout", chunk: encode("hi\n") } },
    { exited: { seq: 2, exitCode: 3, sandboxDenied: false } },
    { closed: { seq: 3 } },
  ]);
  const state = { nextSeq: 4, exited: true, exitCode: 3, closed: true, failure: null };
  const chunks = [{ seq: 1, stream: "stdout", chunk: encode("hi\n") }];
  const all = { ...state, sandboxDenied: false, chunks };
  assert.deepEqual(await client.result("process/read", { processId: "p" }), all);
  assert.deepEqual(
    await client.result("process/read", { processId: "p", afterSeq: 1, waitMs: 2 ** 53 }),
    {
      ...all,
      chunks: [],
    },
  );
});

test("streams are kept apart, and stdin without a pipe is at its end", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result("process/start", script("p", "cat; echo out; echo err >&2"));
  await client.closedOf("p");
  const streams = client.eventsOf("p").map(({ params }) => params?.stream);
  assert.deepEqual(streams.filter((stream) => stream !== undefined).sort(), ["stderr", "stdout"]);
  const write = { processId: "p", chunk: encode("x"), writeId: "1" };
  assert.deepEqual(await client.result("process/write", write), { status: "stdinClosed" });
});

test("deaths by signal are 128 and the signal", async (t) => {
  const client = await (await openFixture(t)).ready();
  for (const [signal, exitCode] of [
    ["KILL", 137],
    ["SEGV", 139],
    ["INT", 130],
  ] as const) {
    await client.result("process/start", script(signal, `kill -${signal} $$`));
    assert.equal((await client.exitOf(signal)).params?.exitCode, exitCode);
  }
});

test("any text is a process id, up to its limit, and taken until the record expires", async (t) => {
  const client = await (await openFixture(t, { closedProcessMs: 100 })).ready();
  for (const id of ["", "with space", "ünï"]) {
    await client.result("process/start", script(id, "exit 0"));
    await client.closedOf(id);
  }
  assert.deepEqual(await client.error("process/start", script("x".repeat(1025), "exit 0")), {
    code: -32602,
    message: "processId must not exceed 1024 bytes",
  });
  await client.result("process/start", script("p", "exit 0"));
  assert.equal((await client.error("process/start", script("p", "exit 0"))).code, -32600);
  await client.closedOf("p");
  for (let known = true; known; ) {
    known = (await client.call("process/read", { processId: "p" })).error === undefined;
  }
  assert.equal((await client.result("process/start", script("p", "exit 0"))).processId, "p");
});

test("a long poll holds up nobody: control calls, writes and other reads are answered", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result("process/start", script("p", "cat", { pipeStdin: true }));
  const poll = client.send("process/read", { processId: "p", afterSeq: 5, waitMs: 600_000 });
  assert.deepEqual(await client.result("environment/status"), { status: "ready" });
  const write = { processId: "p", chunk: encode("x"), writeId: "1" };
  assert.deepEqual(await client.result("process/write", write), { status: "accepted" });
  assert.equal((await client.result("process/read", { processId: "p" })).exited, false);
  assert.equal(
    client.messages.some(({ id }) => id === poll),
    false,
  );
  assert.deepEqual(await client.result("process/terminate", { processId: "p" }), { running: true });
  const { result } = await client.answer(poll);
  assert.deepEqual([result?.exited, result?.exitCode], [true, 137]);
});

test("waiting ends at output, at the exit, and at the close, one after the other", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const flag = join(fixture.root, "flag");
  const until = (name: string) => `while [ ! -e ${flag}${name} ]; do sleep 0.02; done`;
  const background = `(${until("b")}; echo late) & ${until("a")}; echo main; exit 4`;
  await client.result("process/start", script("p", background));
  const read = async (afterSeq: number) => {
    const waiting = { processId: "p", afterSeq, waitMs: 600_000 };
    const { chunks, nextSeq, exited, closed } = await client.result("process/read", waiting);
    return { count: (chunks as object[]).length, nextSeq, exited, closed };
  };
  const first = read(0);
  await writeFile(`${flag}a`, "");
  assert.equal((await first).count, 1);
  assert.deepEqual(await read(1), { count: 0, nextSeq: 3, exited: true, closed: false });
  const late = read(2);
  await writeFile(`${flag}b`, "");
  assert.equal((await late).count, 1);
  assert.deepEqual(await read(3), { count: 0, nextSeq: 5, exited: true, closed: true });
});

test("a read that waits in vain returns what there is", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result("process/start", script("p", "sleep 600"));
  const { chunks, exited } = await client.result("process/read", { processId: "p", waitMs: 50 });
  assert.deepEqual([chunks, exited], [[], false]);
  await client.result("process/terminate", { processId: "p" });
});

test("maxBytes counts whole chunks, always gives one, and nextSeq goes on from there", async (t) => {
  const client = await (await openFixture(t)).ready();
  const step = "printf aa; read x; printf bb; read x; printf cc";
  await client.result("process/start", script("p", step, { pipeStdin: true }));
  for (const [writeId, text] of [
    ["1", "aa"],
    ["2", "aabb"],
  ] as const) {
    await client.outputIncludes("p", text);
    await client.result("process/write", { processId: "p", chunk: encode("\n"), writeId });
  }
  await client.closedOf("p");
  const counts = [];
  for (const maxBytes of [0, 1, 2, 3, 4, 5, 6, null]) {
    const read = await client.result("process/read", { processId: "p", maxBytes });
    counts.push([maxBytes, (read.chunks as object[]).length, read.nextSeq]);
  }
  assert.deepEqual(counts, [
    [0, 1, 2],
    [1, 1, 2],
    [2, 1, 2],
    [3, 1, 2],
    [4, 2, 3],
    [5, 2, 3],
    [6, 3, 4],
    [null, 3, 6],
  ]);
});

test("ES-11: each write id has one status, and a repeat has the same and writes nothing", async (t) => {
  const client = await (await openFixture(t)).ready();
  const write = async (processId: string, writeId: string, text: string) => {
    const params = { processId, chunk: encode(text), writeId };
    return (await client.result("process/write", params)).status;
  };
  await client.result("process/start", script("cat", "cat", { pipeStdin: true }));
  await client.result("process/start", script("deaf", "sleep 600"));
  assert.deepEqual(
    [
      await write("cat", "1", "one\n"),
      await write("cat", "1", "other bytes\n"),
      await write("cat", "2", "two\n"),
      await write("deaf", "1", "x"),
      await write("deaf", "1", "x"),
      await write("nobody", "1", "x"),
    ],
    ["accepted", "accepted", "accepted", "stdinClosed", "stdinClosed", "unknownProcess"],
  );
  await client.outputIncludes("cat", "two");
  assert.equal(client.outputOf("cat"), "one\ntwo\n");
  const empty = { processId: "nobody", chunk: "", writeId: "" };
  assert.deepEqual(await client.error("process/write", empty), {
    code: -32602,
    message: "writeId must not be empty",
  });
  for (const processId of ["cat", "deaf"]) await client.result("process/terminate", { processId });
});

test("interrupt reaches the group and spares who traps it; terminate spares nobody", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result(
    "process/start",
    script("trap", 'trap "echo caught; exit 9" INT; echo up; sleep 600 & wait'),
  );
  await client.outputIncludes("trap", "up");
  const interrupt = { processId: "trap", signal: "interrupt" };
  assert.deepEqual(await client.result("process/signal", interrupt), {});
  assert.equal((await client.exitOf("trap")).params?.exitCode, 9);
  const stubborn = 'trap "" INT TERM HUP; echo up; sleep 600 & sleep 600';
  await client.result("process/start", script("stubborn", stubborn));
  await client.outputIncludes("stubborn", "up");
  const terminate = () => client.result("process/terminate", { processId: "stubborn" });
  assert.deepEqual(await terminate(), { running: true });
  await client.closedOf("stubborn");
  assert.equal((await client.exitOf("stubborn")).params?.exitCode, 137);
  assert.deepEqual(await terminate(), { running: false });
  for (const processId of ["stubborn", "nobody"]) {
    assert.deepEqual(await client.result("process/signal", { ...interrupt, processId }), {});
  }
  await client.result("process/terminate", { processId: "trap" });
});

test("a terminal of 24 by 80 echoes, ends at Ctrl-D, and reports a death by signal as 1", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result(
    "process/start",
    script("tty", 'stty size; read x; echo "got $x"; cat', { tty: true }),
  );
  await client.outputIncludes("tty", "24 80");
  await client.result("process/write", { processId: "tty", chunk: encode("hi\n"), writeId: "1" });
  await client.outputIncludes("tty", "got hi");
  await client.result("process/write", { processId: "tty", chunk: encode("\u0004"), writeId: "2" });
  await client.closedOf("tty");
  assert.equal(client.outputOf("tty"), "24 80\r\nhi\r\ngot hi\r\n");
  const streams = client.eventsOf("tty").map(({ params }) => params?.stream ?? "pty");
  assert.deepEqual(new Set(streams), new Set(["pty"]));
  await client.result("process/start", script("killed", "echo up; sleep 600", { tty: true }));
  await client.outputIncludes("killed", "up");
  await client.result("process/terminate", { processId: "killed" });
  assert.equal((await client.exitOf("killed")).params?.exitCode, 1);
});

test("a start is called off by terminate while it is under way, and leaves the id free", async (t) => {
  const local = new LocalProcesses();
  let slow = true;
  const processes: Processes = {
    start: (start, options) => {
      if (!slow) return local.start(start, options);
      return new Promise((_, reject) => {
        options.signal.addEventListener("abort", () => reject(options.signal.reason));
      });
    },
  };
  const client = await (await openFixture(t, { processes })).ready();
  const start = client.send("process/start", script("p", "exit 0"));
  assert.deepEqual(await client.result("process/terminate", { processId: "p" }), { running: true });
  assert.deepEqual(await client.answer(start), {
    error: { code: -32600, message: "process p start was cancelled" },
  });
  slow = false;
  assert.equal((await client.result("process/start", script("p", "exit 0"))).processId, "p");
});

test("requests of one process sent in one go are carried out in their order", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.send("process/start", script("p", "cat", { pipeStdin: true }));
  const writes = Array.from({ length: 50 }, (_, at) =>
    client.send("process/write", { processId: "p", chunk: encode(`${at}\n`), writeId: `${at}` }),
  );
  for (const id of writes) {
    assert.deepEqual(await client.answer(id), { result: { status: "accepted" } });
  }
  await client.outputIncludes("p", "49\n");
  assert.equal(client.outputOf("p"), Array.from({ length: 50 }, (_, at) => `${at}\n`).join(""));
  client.send("process/start", script("q", 'trap "exit 5" INT; sleep 600 & wait'));
  client.send("process/signal", { processId: "q", signal: "interrupt" });
  assert.notEqual((await client.exitOf("q")).params?.exitCode, 0);
  await client.result("process/terminate", { processId: "p" });
});

test("ES-05: a child gets what the policy inherits from the executor, and the overlay", async (t) => {
  process.env.CANARY_OF_THE_SERVER = "leaked";
  t.after(() => {
    delete process.env.CANARY_OF_THE_SERVER;
  });
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const policy = {
    inherit: "all",
    ignoreDefaultExcludes: false,
    exclude: [],
    set: {},
    includeOnly: [],
  };
  const variables = async (processId: string, more: object) => {
    const start = { ...script(processId, ""), argv: ["/usr/bin/env"], ...more };
    await client.result("process/start", start);
    await client.closedOf(processId);
    return client.outputOf(processId).trim().split("\n").sort();
  };
  assert.deepEqual(await variables("all", { env: { A_SECRET: "given" }, envPolicy: policy }), [
    "A_SECRET=given",
    `HOME=${fixture.root}`,
    "PATH=/usr/local/bin:/usr/bin:/bin",
    "PLAIN=plain",
  ]);
  assert.deepEqual(await variables("none", { env: { A: "1" } }), ["A=1"]);
});

test("arg0 changes what the program sees of itself", async (t) => {
  const client = await (await openFixture(t)).ready();
  await client.result("process/start", script("p", 'echo "$0"', { arg0: "custom" }));
  await client.closedOf("p");
  assert.equal(client.outputOf("p"), "custom\n");
});

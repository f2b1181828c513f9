import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { ExecServer } from "../../src/exec-server/server.ts";
import { serveStdio } from "../../src/exec-server/transport/stdio.ts";
import { executorIn } from "../support/exec-server/fixture.ts";
import { LocalProcesses } from "../support/exec-server/local-processes.ts";
import type { Message } from "../support/exec-server/protocol-client.ts";
import { script } from "../support/exec-server/starts.ts";

/** A server on a pair of streams, and the lines that it has written. */
function open(t: TestContext) {
  const processes = new LocalProcesses();
  const server = new ExecServer(executorIn("/tmp", { processes }));
  t.after(() => server[Symbol.dispose]());
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveStdio(server, { input, output });
  let text = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const lines = () =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  const find = async (wanted: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const found = lines().find(wanted);
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const send = (message: object) => input.write(`${JSON.stringify(message)}\n`);
  const handshake = async () => {
    send({ id: 1, method: "initialize", params: { clientName: "test" } });
    send({ method: "initialized" });
    await find(({ id }) => id === 1);
  };
  return { server, processes, input, output, served, lines, find, send, handshake };
}

test("one line is one message; blank lines and carriage returns do not count", async (t) => {
  const { input, find, handshake } = open(t);
  await handshake();
  input.write('\n  \n{"id":2,"method":"environment/status"}\r\n{"id":3,"meth');
  input.write('od":"environment/status"}\n');
  for (const id of [2, 3]) {
    assert.deepEqual((await find((message) => message.id === id)).result, { status: "ready" });
  }
});

test("a line that is not JSON is answered with the name of the transport", async (t) => {
  const { input, find, handshake } = open(t);
  await handshake();
  input.write("{bad\n");
  assert.equal(
    (await find(({ id }) => id === -1)).error?.message,
    "failed to parse JSON-RPC message from exec-server stdio: key must be a string at line 1 column 2",
  );
});

test("a process runs and tells its events, one line each", async (t) => {
  const { send, find, handshake, lines } = open(t);
  await handshake();
  send({ id: 2, method: "process/start", params: script("p", "echo hi") });
  await find(({ method }) => method === "process/closed");
  const methods = lines().map(({ method }) => method);
  assert.deepEqual(
    methods.filter((method) => method !== undefined),
    ["process/output", "process/exited", "process/closed"],
  );
});

for (const [what, end] of Object.entries({
  "the input ends": (input: PassThrough) => input.end(),
  "a line is not UTF-8": (input: PassThrough) => input.write(Buffer.from([0xff, 0xfe, 0x0a])),
  "the client breaks the protocol": (input: PassThrough) => input.write('{"method":"x"}\n'),
})) {
  test(`serving ends when ${what}, and disposing the server ends the processes`, async (t) => {
    const { server, processes, send, find, handshake, input, served } = open(t);
    await handshake();
    send({ id: 2, method: "process/start", params: script("p", "sleep 600") });
    await find(({ id }) => id === 2);
    end(input);
    await served;
    server[Symbol.dispose]();
    await processes.started[0]?.whenClosed;
  });
}

test("a line longer than a message may be ends the serving", async (t) => {
  const { input, served, handshake } = open(t);
  await handshake();
  const piece = Buffer.alloc(8_388_608, "x");
  for (let at = 0; at < 9; at += 1) input.write(piece);
  await served;
});

test("an output that is gone ends the serving", async (t) => {
  const { send, output, served, handshake } = open(t);
  await handshake();
  output.destroy(new Error("gone"));
  send({ id: 2, method: "environment/status" });
  await served;
});

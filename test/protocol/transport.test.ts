import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { WebSocket } from "ws";
import { MAX_MESSAGE_BYTES } from "../../src/exec-server/limits.ts";
import { openFixture } from "../support/exec-server/fixture.ts";
import { frameLengths } from "../support/exec-server/frames.ts";

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function ask(url: string, path: string, options: object = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url.replace("ws", "http")),
      options,
      async (incoming) => {
        let body = "";
        for await (const chunk of incoming) body += chunk;
        resolve({ status: incoming.statusCode, body });
      },
    );
    outgoing.on("error", reject).end();
  });
}

const UPGRADE = {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
};

function without(name: keyof typeof UPGRADE): Record<string, string> {
  const { [name]: _, ...rest } = UPGRADE;
  return rest;
}

test("plain HTTP is answered as the reference answers it", async (t) => {
  const { url } = await openFixture(t);
  const nothing = "";
  assert.deepEqual(
    {
      ready: await ask(url, "/readyz"),
      readyHead: await ask(url, "/readyz", { method: "HEAD" }),
      readyPost: await ask(url, "/readyz", { method: "POST" }),
      health: await ask(url, "/healthz"),
      plain: await ask(url, "/"),
      noUpgrade: await ask(url, "/", { headers: { ...without("upgrade"), connection: "upgrade" } }),
    },
    {
      ready: { status: 200, body: nothing },
      readyHead: { status: 200, body: nothing },
      readyPost: { status: 405, body: nothing },
      health: { status: 404, body: nothing },
      plain: { status: 400, body: "Connection header did not include 'upgrade'" },
      noUpgrade: { status: 400, body: "`Upgrade` header did not include 'websocket'" },
    },
  );
});

test("upgrades with a header missing are refused by its name", async (t) => {
  const { url } = await openFixture(t);
  assert.deepEqual(
    [
      await ask(url, "/", { headers: without("sec-websocket-key") }),
      await ask(url, "/", { headers: without("sec-websocket-version") }),
      await ask(url, "/", { headers: UPGRADE, method: "POST" }),
      await ask(url, "/other", { headers: UPGRADE }),
    ],
    [
      { status: 400, body: "`Sec-WebSocket-Key` header missing" },
      { status: 400, body: "`Sec-WebSocket-Version` header did not include '13'" },
      { status: 405, body: "" },
      { status: 404, body: "" },
    ],
  );
});

test("ES-08: whatever comes from a web page is refused before the upgrade", async (t) => {
  const { url } = await openFixture(t);
  for (const origin of ["https://evil.test", "null", "", "http://127.0.0.1"]) {
    const refused = { status: 403, body: "" };
    assert.deepEqual(await ask(url, "/", { headers: { ...UPGRADE, origin } }), refused);
    assert.deepEqual(await ask(url, "/readyz", { headers: { origin } }), refused);
  }
});

test("no sub-protocol and no compression is ever selected", async (t) => {
  const { url } = await openFixture(t);
  const socket = new WebSocket(`${url}/?a=b`, ["x"], { perMessageDeflate: true });
  const upgraded = await new Promise<{ headers: Record<string, unknown> }>((resolve) => {
    socket.on("error", () => {});
    socket.on("upgrade", resolve as never);
  });
  socket.terminate();
  const selected = Object.keys(upgraded.headers).filter((name) => /protocol|extensions/.test(name));
  assert.deepEqual(selected, []);
});

test("binary messages and fragments count like text", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.raw(Buffer.from('{"id":"binary","method":"environment/status"}'));
  assert.deepEqual(await client.answer("binary"), { result: { status: "ready" } });
  client.socket.send('{"id":"parts","meth', { fin: false });
  client.socket.ping("between");
  client.socket.send('od":"environment/status"}', { fin: true });
  assert.deepEqual(await client.answer("parts"), { result: { status: "ready" } });
});

test("pings are answered with what they carry", async (t) => {
  const client = await (await openFixture(t)).connect();
  const pong = new Promise((resolve) =>
    client.socket.once("pong", (data) => resolve(String(data))),
  );
  client.socket.ping("abc");
  assert.equal(await pong, "abc");
});

test("a binary message that is not UTF-8 ends the connection, with the reason", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.raw(Buffer.from([0xff, 0xfe]));
  assert.deepEqual(await client.closing(), { code: 1007, reason: "a message that is not UTF-8" });
});

test("a clean close is answered with a close frame", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.socket.close(1000);
  assert.equal((await client.closing()).code, 1000);
});

test("ES-07: a message of 64 MiB passes, in one frame or in many", async (t) => {
  const client = await (await openFixture(t)).ready();
  const message = padded(MAX_MESSAGE_BYTES);
  client.socket.send(message, { binary: false });
  assert.deepEqual(await client.answer("padded"), { result: { status: "ready" } });
  client.messages.length = 0;
  for (let at = 0; at < message.length; at += 1_048_576) {
    const fin = at + 1_048_576 >= message.length;
    client.socket.send(message.subarray(at, at + 1_048_576), { binary: false, fin });
  }
  assert.deepEqual(await client.answer("padded"), { result: { status: "ready" } });
});

test("ES-07: one byte more is answered, under its own id, and the connection goes on", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.socket.send(padded(MAX_MESSAGE_BYTES + 1), { binary: false });
  const { error } = await client.answer("padded");
  assert.equal(error?.code, -32600);
  assert.match(String(error?.message), /67108865 bytes exceeds the limit of 67108864 bytes$/);
  assert.deepEqual(await client.result("environment/status"), { status: "ready" });
});

test("ES-07: what is twice too large ends the connection with the code for that", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.socket.send(padded(2 * MAX_MESSAGE_BYTES + 1), { binary: false });
  assert.equal((await client.closing()).code, 1009);
});

test("ES-07: large answers come in frames of at most 1 MiB", async (t) => {
  const fixture = await openFixture(t);
  const lengths = await frameLengths(fixture, 5_000_000);
  assert.ok(lengths.length >= 7);
  assert.ok(Math.max(...lengths) <= 1_048_576);
});

test("a peer that speaks no WebSocket at all is told so and let go", async (t) => {
  const { url } = await openFixture(t);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  let text = "";
  for await (const chunk of socket) text += chunk;
  assert.match(text, /^HTTP\/1.1 400 /);
});

function padded(bytes: number): Buffer {
  const head = '{"id":"padded","method":"environment/status","pad":"';
  return Buffer.from(`${head}${"x".repeat(bytes - head.length - 2)}"}`);
}

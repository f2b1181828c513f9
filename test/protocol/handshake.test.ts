import assert from "node:assert/strict";
import { test } from "node:test";
import { openFixture } from "../support/exec-server/fixture.ts";

test("breaches of the protocol end the connection with their reason", async (t) => {
  const fixture = await openFixture(t);
  const breaches = {
    '{"method":"some/notification"}': "unknown notification some/notification",
    '{"id":1,"result":{}}': "an answer to no request",
    '{"id":1,"error":{"code":1,"message":"x"}}': "an answer to no request",
  };
  for (const [message, reason] of Object.entries(breaches)) {
    const client = await fixture.ready();
    client.raw(message);
    assert.deepEqual(await client.closing(), { code: 1002, reason });
  }
  const early = await fixture.connect();
  early.notify("initialized");
  assert.deepEqual(await early.closing(), { code: 1002, reason: "initialized before initialize" });
});

test("initialized sent as a request is unknown and completes nothing", async (t) => {
  const client = await (await openFixture(t)).connect();
  await client.result("initialize", { clientName: "test" });
  assert.equal((await client.error("initialized", {})).code, -32601);
  assert.deepEqual(await client.error("environment/status"), {
    code: -32600,
    message: "client must send initialized before using environment status methods",
  });
});

test("repeated initialized notifications are fine", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.notify("initialized", { again: true });
  assert.deepEqual(await client.result("environment/status"), { status: "ready" });
});

test("ES-14: one message that is refused leaves the session as it was", async (t) => {
  const client = await (await openFixture(t)).ready();
  client.raw("{");
  const { error } = await client.answer(-1);
  assert.equal(error?.code, -32600);
  assert.match(String(error?.message), /: EOF while parsing an object at line 1 column 1$/);
  assert.deepEqual(await client.result("environment/status"), { status: "ready" });
});

test("a request whose answer has an id of 64 bits gets all of its digits back", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const text = new Promise((resolve) => {
    client.socket.once("message", (data) => resolve(data.toString()));
  });
  client.raw('{"id":9223372036854775807,"method":"environment/status"}');
  assert.equal(await text, '{"id":9223372036854775807,"result":{"status":"ready"}}');
});

test("methods beside the protocol need no handshake and get plain parameters", async (t) => {
  const extensions = new Map([["outwork/echo", async (params: unknown) => ({ params })]]);
  const client = await (await openFixture(t, { extensions })).connect();
  const params = { number: 1.5, list: [null, true], text: "é" };
  assert.deepEqual(await client.result("outwork/echo", params), { params });
});

import assert from "node:assert/strict";
import { createConnection } from "node:net";
import { describe, test } from "node:test";
import { openService, TOKEN } from "../support/service.ts";

describe("a token", () => {
  const wrong = {
    "no header": undefined,
    "another scheme": `Basic ${TOKEN}`,
    "an empty token": "Bearer ",
    "an unknown token": "Bearer ow_unknown",
    "a part of a token": `Bearer ${TOKEN.slice(0, -1)}`,
    "a longer token": `Bearer ${TOKEN}x`,
    "two tokens": `Bearer ${TOKEN} ${TOKEN}`,
  };
  for (const [what, authorization] of Object.entries(wrong)) {
    test(`${what} is 401, on routes that exist and on others`, async (t) => {
      const { app } = await openService(t);
      for (const url of ["/v1/environments", "/v1/nothing"]) {
        const headers = authorization === undefined ? {} : { authorization };
        const answer = await app.inject({ method: "GET", url, headers });
        assert.equal(answer.statusCode, 401);
        assert.equal(answer.headers["www-authenticate"], "Bearer");
        assert.equal(answer.json().type, "urn:outwork:unauthenticated");
      }
    });
  }

  test("is not needed for health and documentation", async (t) => {
    const { app } = await openService(t);
    for (const url of ["/livez", "/readyz", "/openapi.json"]) {
      assert.equal((await app.inject({ method: "GET", url })).statusCode, 200);
    }
  });
});

describe("a web page", () => {
  const refused = [
    "https://evil.example",
    "http://localhost",
    "null",
    "https://allowed.example.evil",
  ];
  for (const origin of refused) {
    test(`of ${origin} is refused, even with a token and on open routes`, async (t) => {
      const { send } = await openService(t);
      for (const url of ["/v1/environments", "/livez"]) {
        const { status, body } = await send({ method: "GET", url, headers: { origin } });
        assert.deepEqual([status, body.type], [403, "urn:outwork:not-permitted"]);
      }
    });
  }

  test("of an allowed origin gets what its browser asks for", async (t) => {
    const { app, send } = await openService(t);
    const origin = "https://allowed.example";
    const preflight = await app.inject({
      method: "OPTIONS",
      url: "/v1/environments",
      headers: { origin, "access-control-request-method": "POST" },
    });
    const { status, headers } = await send({
      method: "GET",
      url: "/v1/environments",
      headers: { origin },
    });
    assert.equal(preflight.statusCode, 204);
    assert.match(String(preflight.headers["access-control-allow-headers"]), /authorization/);
    assert.equal(status, 200);
    assert.equal(headers["access-control-allow-origin"], origin);
  });
});

describe("a host name", () => {
  const cases = {
    "localhost:7410": 200,
    "127.0.0.1:7410": 200,
    "127.9.9.9": 200,
    "[::1]:7410": 200,
    LOCALHOST: 200,
    "evil.example": 403,
    "localhost.evil.example": 403,
    "127.0.0.1.evil.example:7410": 403,
    "10.0.0.1": 403,
  };
  for (const [host, status] of Object.entries(cases)) {
    test(`${host} is answered with ${status} when the service is bound to loopback`, async (t) => {
      const { send } = await openService(t);
      assert.equal(
        (await send({ method: "GET", url: "/livez", headers: { host } })).status,
        status,
      );
    });
  }

  test("may be any when the service is bound to more than loopback", async (t) => {
    const origins = { allowedOrigins: [], loopbackOnly: false };
    const { send } = await openService(t, { origins });
    const headers = { host: "outwork.example" };
    assert.equal((await send({ method: "GET", url: "/livez", headers })).status, 200);
  });
});

test("tokens are never in the log, however they arrive", async (t) => {
  const { app, send, logged, listen } = await openService(t);
  const token = "ow_must-not-be-seen";
  const authorization = `Bearer ${token}`;
  for (const url of [
    `/v1/environments?token=${token}`,
    `/nothing?token=${token}`,
    `/%zz?token=${token}`,
    "/v1/environments",
  ]) {
    await send({ method: "GET", url });
    await app.inject({ method: "GET", url, headers: { authorization } });
    await app.inject({ method: "POST", url, headers: { authorization }, payload: "{" });
  }
  const { port } = new URL(await listen());
  const raw = createConnection({ port: Number(port), host: "127.0.0.1" });
  raw.end(`GET / HTTP/1.1\r\nauthorization: ${authorization}\r\nbad header\r\n\r\n`);
  const answer = Buffer.concat(await raw.toArray()).toString();
  assert.match(answer, /^HTTP\/1\.1 400 .*application\/problem\+json/s);
  assert.ok(logged.length > 0);
  assert.deepEqual(
    logged.filter((line) => line.includes(token)),
    [],
  );
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { openService, TOKEN } from "../support/service.ts";

const PROCESS = "/v1/environments/a/processes/p";
const STRICT_BODIES = [
  ["/v1/environments", {}],
  ["/v1/environments/a/processes", { argv: ["true"] }],
  [`${PROCESS}/stdin`, { write_id: "1" }],
  [`${PROCESS}/signal`, { signal: "SIGINT" }],
  [`${PROCESS}/terminate`, {}],
  [`${PROCESS}/resize`, { rows: 1, cols: 1 }],
] as const;

describe("LC-15: an unknown member is refused by name", () => {
  for (const [url, body] of STRICT_BODIES) {
    test(`POST ${url}`, async (t) => {
      const { send } = await openService(t);
      const answer = await send({ method: "POST", url, payload: { ...body, time_out: 1 } });
      const { type, issues } = answer.body;
      assert.deepEqual(
        { status: answer.status, type, issues },
        {
          status: 400,
          type: "urn:outwork:validation-failed",
          issues: [{ path: "time_out", message: "is not a member that exists here" }],
        },
      );
    });
  }

  test("within a member, with its path", async (t) => {
    const { send } = await openService(t);
    const payload = { policy: { preset: "read-only", netwrok: true } };
    const { body } = await send({ method: "POST", url: "/v1/environments", payload });
    const { issues } = body;
    assert.deepEqual(issues, [
      { path: "policy.netwrok", message: "is not a member that exists here" },
    ]);
  });

  test("in a query", async (t) => {
    const { send } = await openService(t);
    const { status, body } = await send({ method: "GET", url: `${PROCESS}/output?after=1` });
    const { issues } = body;
    assert.deepEqual(
      [status, issues],
      [400, [{ path: "after", message: "is not a member that exists here" }]],
    );
  });
});

describe("a request that is not valid", () => {
  const cases = [
    ["is not JSON", { method: "POST", url: "/v1/environments", payload: "{" }, ""],
    ["lacks what is required", { method: "POST", url: "/v1/environments/a/processes" }, "argv"],
    [
      "has a wrong type",
      { method: "POST", url: "/v1/environments", payload: '{"lifetime_ms":"1"}' },
      "lifetime_ms",
    ],
    ["is no object", { method: "POST", url: "/v1/environments", payload: "[]" }, ""],
    [
      "poisons the prototype",
      { method: "POST", url: "/v1/environments", payload: '{"__proto__":{}}' },
      "",
    ],
    ["has an odd environment id", { method: "GET", url: "/v1/environments/a%20b" }, "id"],
    ["has a reserved environment id", { method: "GET", url: "/v1/environments/local" }, "id"],
    [
      "has a long environment id",
      { method: "GET", url: `/v1/environments/${"a".repeat(300)}` },
      "id",
    ],
    [
      "has an odd process id",
      { method: "GET", url: "/v1/environments/a/processes/%2F" },
      "process_id",
    ],
    [
      "climbs out of its path",
      { method: "GET", url: "/v1/environments/a/archive?path=/a/../b" },
      "path",
    ],
    ["asks twice", { method: "GET", url: "/v1/environments/a/archive?path=/a&path=/b" }, "path"],
    [
      "has a cursor below zero",
      { method: "GET", url: `${PROCESS}/output?after_seq=-1` },
      "after_seq",
    ],
  ] as const;
  for (const [what, request, path] of cases) {
    test(`${what}: 400 with the place`, async (t) => {
      const { send } = await openService(t);
      const headers = "payload" in request ? { "content-type": "application/json" } : {};
      const { status, body } = await send({ ...request, headers });
      const { type } = body;
      const issues = body.issues as { path: string }[];
      assert.deepEqual(
        { status, type, paths: issues.map((issue) => issue.path) },
        { status: 400, type: "urn:outwork:validation-failed", paths: [path] },
      );
    });
  }
});

describe("AP-04: a schema that throws", () => {
  const broken = z.object({ x: z.string().optional() }).refine(() => {
    throw new Error("the secret of the schema");
  });
  const add = (app: FastifyInstance) => {
    app.addHook("preValidation", async () => {});
    app.post("/broken-body", { schema: { body: broken } }, async () => "unreached");
    app.get("/broken-query", { schema: { querystring: broken } }, async () => "unreached");
    app.get("/broken-params/:x", { schema: { params: broken } }, async () => "unreached");
  };
  for (const [method, url] of [
    ["POST", "/broken-body"],
    ["GET", "/broken-query"],
    ["GET", "/broken-params/1"],
  ] as const) {
    test(`answers 500 on ${method} ${url} and the service lives`, async (t) => {
      const { app, send, logged } = await openService(t);
      add(app);
      const { status, body } = await send({ method, url });
      assert.equal(status, 500);
      assert.doesNotMatch(JSON.stringify(body), /secret/);
      assert.ok(logged.some((line) => line.includes("the secret of the schema")));
      assert.equal((await send({ method: "GET", url: "/livez" })).status, 200);
    });
  }
});

test("what a handler throws by accident is `internal`, with details in the log alone", async (t) => {
  const { send, launch, logged } = await openService(t);
  const agent = await launch("a");
  agent.answer("outwork/process/list", () => {
    throw new Error("a secret of the house");
  });
  const { status, body, headers } = await send({
    method: "GET",
    url: "/v1/environments/a/processes",
    headers: { "x-request-id": "mine-1" },
  });
  assert.deepEqual(body, {
    type: "urn:outwork:internal",
    title: "A fault of the service",
    status: 500,
    detail: "The service's log has the details.",
    retryable: false,
    request_id: "mine-1",
  });
  assert.equal(status, 500);
  assert.equal(headers["content-type"], "application/problem+json");
  const line = logged.find((entry) => entry.includes("a secret of the house"));
  assert.match(line ?? "", /"reqId":"mine-1"/);
});

test("a body of another type is 415, one that is too large 413, both problems", async (t) => {
  const { send } = await openService(t);
  const text = await send({
    method: "POST",
    url: "/v1/environments",
    headers: { "content-type": "text/plain" },
    payload: "{}",
  });
  const large = await send({
    method: "POST",
    url: "/v1/environments",
    headers: { "content-type": "application/json" },
    payload: JSON.stringify({ image: "x".repeat(17_000_000) }),
  });
  const types = [text, large].map(({ status, body }) => [status, body.type]);
  assert.deepEqual(types, [
    [415, "urn:outwork:media-type-unsupported"],
    [413, "urn:outwork:too-large"],
  ]);
});

test("an unknown route is 404, a wrong method 405 with those that work", async (t) => {
  const { send } = await openService(t);
  const unknown = await send({ method: "GET", url: "/v2?token=secret" });
  const wrong = await send({ method: "PATCH", url: "/v1/environments/a" });
  const [{ type, detail }, { allowed }] = [unknown.body, wrong.body];
  assert.deepEqual([unknown.status, type], [404, "urn:outwork:route-not-found"]);
  assert.equal(detail, "There is nothing at /v2.");
  assert.deepEqual([wrong.status, allowed], [405, ["DELETE", "GET"]]);
  assert.equal(wrong.headers.allow, "DELETE, GET");
});

test("a URL that cannot be decoded is a problem too", async (t) => {
  const { send } = await openService(t);
  const { status, headers, body } = await send({ method: "GET", url: "/v1/environments/%zz" });
  const { type, request_id } = body;
  assert.deepEqual([status, type], [400, "urn:outwork:validation-failed"]);
  assert.equal(headers["x-request-id"], request_id);
});

test("a request id of the caller is kept if it is sane, and replaced otherwise", async (t) => {
  const { send } = await openService(t);
  const idFor = async (given: string) => {
    const options = { method: "GET", url: "/livez", headers: { "x-request-id": given } } as const;
    return (await send(options)).headers["x-request-id"] ?? "";
  };
  assert.equal(await idFor("trace:1.2-3_4"), "trace:1.2-3_4");
  for (const odd of ["", "a b", "é", "x".repeat(129), `Bearer ${TOKEN}`]) {
    assert.match(await idFor(odd), /^req_[a-z0-9]{16}$/);
  }
});

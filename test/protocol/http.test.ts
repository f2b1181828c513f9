import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OutworkError } from "../../src/errors.ts";
import type { Executor } from "../../src/exec-server/executor.ts";
import { openFixture } from "../support/exec-server/fixture.ts";
import { decode, encode, type ProtocolClient } from "../support/exec-server/protocol-client.ts";
import { openWeb } from "../support/exec-server/web.ts";

interface Echo {
  readonly method: string;
  readonly headers: readonly string[];
  readonly body: string;
}

async function open(t: TestContext, overrides: Partial<Executor> = {}) {
  const web = await openWeb(t);
  const client = await (await openFixture(t, overrides)).ready();
  const get = (path: string, more: object = {}) =>
    client.call("http/request", { method: "GET", url: web + path, requestId: "r", ...more });
  const echo = async (path: string, more: object = {}): Promise<Echo> => {
    const { result } = await get(path, more);
    return JSON.parse(decode(result?.bodyBase64)) as Echo;
  };
  return { web, client, get, echo };
}

function headersOf({ headers }: Echo): Record<string, string> {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
  return Object.fromEntries(pairs);
}

function headersIn(result: Record<string, unknown> | undefined) {
  return (result?.headers ?? []) as { readonly name: string; readonly value: string }[];
}

async function bodyOf(client: ProtocolClient, requestId: string) {
  const isMine = ({ method, params }: { method?: string; params?: Record<string, unknown> }) =>
    method === "http/request/bodyDelta" && params?.requestId === requestId;
  await client.find((message) => isMine(message) && message.params?.done === true);
  const deltas = client.messages.filter(isMine).map(({ params }) => params ?? {});
  assert.deepEqual(
    deltas.map(({ seq }) => seq),
    deltas.map((_, at) => at + 1),
  );
  const text = deltas.map(({ deltaBase64 }) => decode(deltaBase64)).join("");
  return { text, error: deltas.at(-1)?.error, deltas };
}

test("a request carries what it was given, and little else", async (t) => {
  const { web, echo } = await open(t);
  const plain = await echo("/echo");
  assert.equal(plain.method, "GET");
  const { connection: _, Connection: __, ...headers } = headersOf(plain);
  assert.deepEqual(headers, {
    host: new URL(web).host,
    accept: "*/*",
    "accept-encoding": headers["accept-encoding"],
  });
  const post = await echo("/echo", {
    method: "POST",
    headers: [
      { name: "X-A", value: "1" },
      { name: "x-a", value: "zwö" },
    ],
    bodyBase64: encode("hi"),
  });
  assert.deepEqual([post.method, post.body], ["POST", "hi"]);
  assert.deepEqual(post.headers.slice(2, 6), [
    "X-A",
    "1",
    "x-a",
    Buffer.from("zwö").toString("latin1"),
  ]);
});

test("the answer has status, headers with their repeats, and the whole body", async (t) => {
  const { get } = await open(t);
  const { result } = await get("/echo");
  assert.equal(result?.status, 200);
  const cookies = headersIn(result).filter(({ name }) => name === "set-cookie");
  assert.deepEqual(cookies, [
    { name: "set-cookie", value: "a=1" },
    { name: "set-cookie", value: "b=2" },
  ]);
  assert.deepEqual(
    [(await get("/failed")).result?.status, (await get("/empty")).result?.status],
    [500, 204],
  );
});

test("redirects are followed as browsers follow them, or handed back", async (t) => {
  const { web, get, echo } = await open(t);
  const post = { method: "POST", bodyBase64: encode("hi") };
  const seen = await echo("/see-other", post);
  assert.deepEqual([seen.method, seen.body], ["GET", ""]);
  assert.equal(headersOf(seen).referer, `${web}/see-other`);
  const same = await echo("/same-again", post);
  assert.deepEqual([same.method, same.body], ["POST", "hi"]);
  assert.equal((await get("/see-other", { redirectPolicy: "stop" })).result?.status, 302);
  const message = "http/request failed: too many redirects";
  assert.deepEqual(await get("/loop"), { error: { code: -32603, message } });
});

test("encoded bodies are decoded, and one that swells beyond the limit is refused", async (t) => {
  const { get } = await open(t);
  const { result } = await get("/gzip");
  assert.equal(decode(result?.bodyBase64), "hello gzip");
  const names = headersIn(result).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => name.startsWith("content-")),
    [],
  );
  const { error } = await get("/bomb");
  assert.match(String(error?.message), /bodies of more than \d+ bytes need streamResponse$/);
});

test("time-outs and broken bodies are told apart", async (t) => {
  const { get } = await open(t);
  const failed = (message: string) => ({ error: { code: -32603, message } });
  const late = failed("http/request failed: route-aware request timed out");
  const broken = failed("failed to read http/request response body: error decoding response body");
  assert.deepEqual(await get("/never", { timeoutMs: 100 }), late);
  assert.deepEqual(await get("/echo", { timeoutMs: 0 }), late);
  assert.deepEqual(await get("/stuck", { timeoutMs: 100 }), broken);
  assert.deepEqual(await get("/broken"), broken);
});

test("requests that cannot be made are refused by what is wrong with them", async (t) => {
  const { get } = await open(t);
  const messages = [];
  for (const wrong of [
    { url: "ftp://x" },
    { url: "nonsense" },
    { url: "http://" },
    { method: "BAD METHOD" },
    { headers: [{ name: "bad name", value: "x" }] },
    { headers: [{ name: "x", value: "a\nb" }] },
    { headers: [{ name: "x", value: "", valueEnvVar: "NOT_SET" }] },
    { headers: [{ name: "x", value: "", valueEnvVar: "OPENAI_API_KEY" }] },
  ]) {
    const { error } = await get("/echo", wrong);
    assert.equal(error?.code, -32602);
    messages.push(error?.message.slice("http/request ".length));
  }
  assert.deepEqual(messages, [
    "only supports http and https URLs, got ftp",
    "url is invalid: relative URL without a base",
    "url is invalid: empty host",
    "method is invalid: invalid HTTP method",
    "header name is invalid: invalid HTTP header name",
    "header value is invalid for x: failed to parse header value",
    "header x requires executor environment variable NOT_SET",
    "header x cannot use executor environment variable OPENAI_API_KEY",
  ]);
  const url = "http://user:secret@127.0.0.1:1/";
  assert.deepEqual(await get("/echo", { url }), {
    error: {
      code: -32603,
      message: "http/request failed: error sending request for url (http://127.0.0.1:1/)",
    },
  });
});

test("a header may end with a variable of the executor", async (t) => {
  const { echo } = await open(t);
  const headers = [{ name: "authorization", value: "Bearer ", valueEnvVar: "PLAIN" }];
  assert.equal(headersOf(await echo("/echo", { headers })).authorization, "Bearer plain");
});

test("a streamed body follows its head in numbered deltas", async (t) => {
  const { client, get } = await open(t);
  const stream = (path: string, requestId: string, more: object = {}) =>
    get(path, { streamResponse: true, requestId, ...more });
  const { result } = await stream("/pieces", "s1");
  assert.deepEqual([result?.status, result?.bodyBase64], [200, ""]);
  const pieces = await bodyOf(client, "s1");
  assert.deepEqual([pieces.text, pieces.error], ["data: 0\n\nend", null]);
  await stream("/empty", "s2");
  assert.equal((await bodyOf(client, "s2")).deltas.length, 1);
  await stream("/broken", "s3");
  assert.deepEqual((await bodyOf(client, "s3")).error, "error decoding response body");
  await stream("/stuck", "s4", { timeoutMs: 100 });
  assert.deepEqual((await bodyOf(client, "s4")).error, "error decoding response body");
  await stream("/large", "s5");
  const large = await bodyOf(client, "s5");
  assert.equal(large.text, "0123456789".repeat(300_000));
});

test("the id of a stream is taken until its last delta", async (t) => {
  const { client, get } = await open(t);
  const stream = { streamResponse: true, requestId: "dup" };
  await get("/stuck", { ...stream, timeoutMs: 500 });
  assert.deepEqual(await get("/echo", stream), {
    error: {
      code: -32602,
      message: "http/request streamResponse requestId `dup` is already active",
    },
  });
  assert.equal((await get("/empty", { requestId: "dup" })).result?.status, 204);
  await bodyOf(client, "dup");
  assert.equal((await get("/empty", stream)).result?.status, 204);
});

test("an executor without a way out says so, and a policy in its own words", async (t) => {
  const none = await open(t, { http: null });
  assert.deepEqual(await none.get("/echo"), {
    error: {
      code: -32603,
      message: "http/request failed: this executor sends no requests for its clients",
    },
  });
  const refused = new OutworkError("policy-denied", "network access is off in this environment");
  const denied = await open(t, { http: { exchange: () => Promise.reject(refused) } });
  assert.deepEqual(await denied.get("/echo"), {
    error: {
      code: -32603,
      message: "http/request failed: network access is off in this environment",
    },
  });
});

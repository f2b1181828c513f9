import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { pipeline } from "node:stream/promises";
import { type TestContext, test } from "node:test";
import { OutworkError } from "../../src/errors.ts";
import { openService, TOKEN } from "../support/service.ts";

const PIECE = randomBytes(1_048_576);
const PIECES = 64;

async function listening(t: TestContext) {
  const service = await openService(t, { graceMs: 0 });
  const agent = await service.launch("a");
  const url = `${await service.listen()}/v1/environments/a/archive?path=/workspace/x`;
  const open = (method: string, headers: Record<string, string> = {}) =>
    request(url, { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
  const answer = async (sent: ReturnType<typeof open>) => {
    const [response] = await once(sent, "response");
    return response as IncomingMessage;
  };
  return { ...service, agent, url, open, answer };
}

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent += 1) yield PIECE;
}

async function digest(
  source: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of source) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

test("a download is the agent's stream, whatever its size", async (t) => {
  const { agent, open, answer } = await listening(t);
  agent.stream("outwork/archive/get", () => pieces(PIECES));
  const response = await answer(open("GET").end());
  assert.equal(response.headers["content-type"], "application/x-tar");
  assert.deepEqual(await digest(response), await digest(pieces(PIECES)));
  assert.deepEqual(agent.calls, [
    { method: "outwork/archive/get", params: { path: "/workspace/x" } },
  ]);
});

test("a download that breaks is cut, so that nobody takes it for whole", async (t) => {
  const { agent, open, answer } = await listening(t);
  agent.stream("outwork/archive/get", async function* () {
    yield PIECE;
    throw new OutworkError("agent-unreachable", "The connection broke.");
  });
  const response = await answer(open("GET").end());
  await assert.rejects(digest(response), { code: "ECONNRESET" });
});

test("an upload reaches the agent whole and is answered with what came of it", async (t) => {
  const { agent, open, answer } = await listening(t);
  agent.sink(async (_, source) => ({ entries: 1, ...(await digest(source)) }));
  const upload = open("PUT", { "content-type": "application/x-tar" });
  const answering = answer(upload);
  await pipeline(pieces(PIECES), upload);
  const response = await answering;
  const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
  assert.deepEqual(body, { entries: 1, ...(await digest(pieces(PIECES))) });
});

test("an upload is taken no faster than the agent takes it", async (t) => {
  const { agent, open, answer } = await listening(t);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  agent.sink(async (_, source) => {
    await held;
    return { entries: 1, ...(await digest(source)) };
  });
  const upload = open("PUT", { "content-type": "application/x-tar" });
  const answering = answer(upload);
  let offered = 0;
  const sending = pipeline(async function* () {
    for await (const piece of pieces(PIECES)) {
      offered += 1;
      yield piece;
    }
  }, upload);
  let before = -1;
  while (before !== offered) {
    before = offered;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(offered < PIECES / 2, `${offered} of ${PIECES} were taken`);
  release();
  await sending;
  assert.equal((await answering).statusCode, 200);
});

test("an upload that is refused in its middle is answered, and what still comes is let go", async (t) => {
  const { agent, url } = await listening(t);
  agent.sink(async (_, source) => {
    for await (const _piece of source) break;
    throw new OutworkError("archive-refused", "entry 1 points outside");
  });
  const { port, pathname, search } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  t.after(() => socket.destroy());
  const head = [
    `PUT ${pathname}${search} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${TOKEN}`,
    "content-type: application/x-tar",
    `content-length: ${PIECES * PIECE.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const answered = once(socket, "data");
  for await (const piece of pieces(PIECES)) {
    if (!socket.write(piece)) await once(socket, "drain");
  }
  assert.match(
    String(await answered),
    /^HTTP\/1\.1 422 .*urn:outwork:archive-refused.*points outside/s,
  );
});

test("a client that hangs up in the middle of an upload ends it as broken, not as whole", async (t) => {
  const { agent, open } = await listening(t);
  const outcome = new Promise<string>((resolve) => {
    agent.sink(async (_, source) => {
      await digest(source).then(
        () => resolve("whole"),
        () => resolve("broken"),
      );
      return { entries: 0, bytes: 0, sha256: "" };
    });
  });
  const upload = open("PUT", { "content-type": "application/x-tar" });
  upload.on("error", () => {});
  upload.write(PIECE);
  await once(upload, "drain").catch(() => {});
  upload.destroy();
  assert.equal(await outcome, "broken");
});

test("an upload of another type, or of nothing, is 415", async (t) => {
  const { open, answer } = await listening(t);
  const json = await answer(open("PUT", { "content-type": "application/json" }).end("{}"));
  const nothing = await answer(open("PUT").end());
  assert.deepEqual([json.statusCode, nothing.statusCode], [415, 415]);
});

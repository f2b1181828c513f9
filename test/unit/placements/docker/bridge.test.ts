import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Bridge } from "../../../../src/placements/docker/bridge.ts";
import { frame } from "../../../support/frames.ts";

/** A bridge over a real connection, and the engine's end of it. */
async function bridged(t: TestContext): Promise<{ bridge: Bridge; engine: Socket }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [[engine], client] = await Promise.all([once(server, "connection"), dial(port)]);
  const bridge = new Bridge(client);
  t.after(() => {
    bridge.destroy();
    engine.destroy();
    server.close();
  });
  return { bridge, engine };
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

test("DK-04: ending the writing side leaves the reading side open", async (t) => {
  const { bridge, engine } = await bridged(t);
  bridge.end("ask");
  let asked = "";
  engine.on("data", (chunk) => {
    asked += chunk;
  });
  await once(engine, "end");
  const answer = Buffer.alloc(1_048_576, "x");
  for (let at = 0; at < answer.length; at += 32_768) {
    engine.write(frame("stdout", answer.subarray(at, at + 32_768)));
  }
  engine.end();
  assert.deepEqual([asked, (await buffer(bridge)).equals(answer)], ["ask", true]);
});

test("OU-07: a last frame in the same packet as the end of the connection is delivered", async (t) => {
  const { bridge, engine } = await bridged(t);
  engine.end(frame("stdout", Buffer.from("all of it")));
  assert.equal((await buffer(bridge)).toString(), "all of it");
});

test("OU-07: a stream that ends inside a frame fails instead of ending", async (t) => {
  const { bridge, engine } = await bridged(t);
  engine.end(frame("stdout", Buffer.from("all of it")).subarray(0, 12));
  await assert.rejects(buffer(bridge), { message: "the engine's stream ended inside a frame" });
});

test("DK-01: a connection that the engine resets is an error and no end", async (t) => {
  const { bridge, engine } = await bridged(t);
  engine.write(frame("stdout", Buffer.from("some")));
  await once(bridge, "readable");
  engine.resetAndDestroy();
  await assert.rejects(buffer(bridge), { code: "ECONNRESET" });
});

test("a program that only complains is quoted in the error", async (t) => {
  const { bridge, engine } = await bridged(t);
  engine.end(frame("stderr", Buffer.from("connect ENOENT /.outwork/run/agent.sock\n")));
  await assert.rejects(buffer(bridge), { message: "connect ENOENT /.outwork/run/agent.sock" });
});

test("OU-08: a reader that stops reading stops the engine", async (t) => {
  const { bridge, engine } = await bridged(t);
  const piece = frame("stdout", Buffer.alloc(65_536));
  let sent = 0;
  while (engine.write(piece) || sent < 64) sent += 1;
  await once(bridge, "readable");
  const first = bridge.read();
  assert.ok(first.length < sent * 65_536, "the rest waits");
  engine.end();
  const rest = await buffer(bridge);
  assert.equal(first.length + rest.length, (sent + 1) * 65_536);
});

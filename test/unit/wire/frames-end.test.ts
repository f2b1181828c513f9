import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FrameStream } from "../../../src/wire/frames.ts";
import { temporaryFolder } from "../../support/tree.ts";

async function socketPair(t: TestContext): Promise<[Socket, Socket]> {
  const path = join(await temporaryFolder(t), "socket");
  const server = createServer().listen(path);
  t.after(() => server.close());
  const client = connect(path);
  const [[accepted]] = await Promise.all([once(server, "connection"), once(client, "connect")]);
  return [client, accepted];
}

test("a sender that lets go right after its end loses nothing, however slow its reader is", async (t) => {
  const [near, far] = await socketPair(t);
  const sender = new FrameStream(near);
  let frames = 0;
  for (; sender.pendingBytes === 0; frames += 1) await sender.send(Buffer.alloc(1024));
  const gone = sender.end().then(() => sender.destroy());
  const reader = new FrameStream(far);
  let seen = 0;
  while ((await reader.next()) !== null) seen += 1;
  await gone;
  assert.equal(seen, frames);
});

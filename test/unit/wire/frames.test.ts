import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { BrokenStreamError, FrameStream } from "../../../src/wire/frames.ts";

/** Everything a stream says, as text or bytes, up to its end or its break. */
async function drain(frames: FrameStream): Promise<(string | Uint8Array)[]> {
  const received: (string | Uint8Array)[] = [];
  for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
    received.push(frame.isText ? frame.payload.toString("utf8") : Uint8Array.from(frame.payload));
  }
  return received;
}

const folder = mkdtempSync(join(tmpdir(), "frames-"));
after(() => rmSync(folder, { recursive: true }));

/** Both ends of a connected Unix socket. */
async function socketPair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(join(folder, `${Math.random()}.sock`));
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect(server.address() as string);
  const [peer] = await accepted;
  server.close();
  return [client, peer];
}

const payload = fc.oneof(fc.string(), fc.uint8Array({ maxLength: 300 }));

describe("frames", () => {
  test("arrive whole and in order, wherever the bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(payload, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (payloads, cuts) => {
          const bytes = await encode(payloads);
          const wire = new PassThrough();
          const received = drain(new FrameStream(wire));
          for (const piece of cut(bytes, cuts)) wire.write(piece);
          assert.deepEqual(await received, payloads);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("a stream that stops without its end frame is broken", async () => {
    const [ours, theirs] = await socketPair();
    const sender = new FrameStream(ours);
    const received = drain(new FrameStream(theirs));
    await sender.send("half of it");
    sender.destroy();
    await assert.rejects(received, BrokenStreamError);
  });

  test("what is no frame ends the stream", async () => {
    const wire = new PassThrough();
    const received = drain(new FrameStream(wire));
    wire.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    await assert.rejects(received, /not a frame of ours/);
  });

  test("a sender waits for a receiver that does not read", async () => {
    const [ours, theirs] = await socketPair();
    const sender = new FrameStream(ours);
    const receiver = new FrameStream(theirs);
    let sent = 0;
    const flood = (async () => {
      for (; sent < 400; sent += 1) await sender.send(Buffer.alloc(65_536));
      await sender.end();
    })();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(sent < 400, "everything was taken although nobody read");
    const received = await drain(receiver);
    await flood;
    assert.equal(received.length, 400);
  });
});

async function encode(payloads: readonly (string | Uint8Array)[]): Promise<Buffer> {
  const wire = new PassThrough();
  const frames = new FrameStream(wire);
  const pieces: Buffer[] = [];
  wire.removeAllListeners("data");
  wire.on("data", (piece: Buffer) => pieces.push(piece));
  for (const each of payloads) await frames.send(each);
  await frames.end();
  await frames.closed;
  return Buffer.concat(pieces);
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

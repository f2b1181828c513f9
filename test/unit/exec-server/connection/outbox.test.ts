import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox } from "../../../../src/exec-server/connection/outbox.ts";
import { OUTBOX_HIGH_WATER_BYTES } from "../../../../src/exec-server/limits.ts";
import type { Transport } from "../../../../src/exec-server/transport/transport.ts";

class HeldTransport implements Transport {
  readonly name = "message";
  readonly sent: string[] = [];
  pendingBytes = 0;

  send(message: Uint8Array): void {
    this.sent.push(Buffer.from(message).toString());
    this.pendingBytes += message.length;
  }

  close(): void {}
  pause(): void {}
  resume(): void {}
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("those who wait for room go one at a time, in turn", async () => {
  const transport = new HeldTransport();
  const outbox = new Outbox(transport);
  transport.pendingBytes = OUTBOX_HIGH_WATER_BYTES;
  const went: string[] = [];
  const sends = ["a", "b"].map(async (name) => {
    await outbox.room();
    went.push(name);
    transport.pendingBytes = OUTBOX_HIGH_WATER_BYTES;
  });
  await turn();
  assert.deepEqual(went, []);
  transport.pendingBytes = 0;
  outbox.drained();
  await turn();
  assert.deepEqual(went, ["a"]);
  transport.pendingBytes = 0;
  outbox.drained();
  await Promise.all(sends);
  assert.deepEqual(went, ["a", "b"]);
});

test("closing lets everybody go and sends nothing more", async () => {
  const transport = new HeldTransport();
  const outbox = new Outbox(transport);
  transport.pendingBytes = OUTBOX_HIGH_WATER_BYTES;
  const waiting = outbox.room();
  outbox.close();
  await waiting;
  outbox.notify("a", {});
  assert.deepEqual(transport.sent, []);
});

test("ES-07: an answer that no client takes becomes an error that says so", () => {
  const transport = new HeldTransport();
  new Outbox(transport).result(7n, { data: "x".repeat(67_108_864) });
  assert.deepEqual(transport.sent, [
    '{"error":{"code":-32600,"message":"the answer of 67108893 bytes cannot be sent: a message carries at most 67108864 bytes"},"id":7}',
  ]);
});

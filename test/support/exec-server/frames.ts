import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { uriOf } from "../../../src/exec-server/path-uri.ts";
import type { Fixture } from "./fixture.ts";

/** The payload lengths of the frames in which a file of that many bytes comes back. */
export async function frameLengths(fixture: Fixture, bytes: number): Promise<number[]> {
  const path = join(fixture.root, "large");
  await writeFile(path, Buffer.alloc(bytes));
  const { hostname, port } = new URL(fixture.url);
  const socket = connect(Number(port), hostname);
  socket.write(upgradeRequest());
  socket.write(textFrame({ id: 1, method: "initialize", params: { clientName: "frames" } }));
  socket.write(textFrame({ method: "initialized" }));
  socket.write(textFrame({ id: 2, method: "fs/readFile", params: { path: uriOf(path) } }));
  const lengths = await readFrames(socket, 2);
  socket.destroy();
  return lengths;
}

function upgradeRequest(): string {
  const key = randomBytes(16).toString("base64");
  const lines = ["GET / HTTP/1.1", "Host: x", "Connection: upgrade", "Upgrade: websocket"];
  return [...lines, "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`, "", ""].join("\r\n");
}

/** Masked with zeros, which the standard allows. */
function textFrame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const header = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([header, Buffer.alloc(4), payload]);
}

/** Lengths of the frames of the message with that number, counted from 1. */
async function readFrames(socket: Socket, message: number): Promise<number[]> {
  let buffer = Buffer.alloc(0);
  let upgraded = false;
  let ended = 0;
  const lengths: number[] = [];
  for await (const chunk of socket) {
    buffer = Buffer.concat([buffer, chunk as Buffer]);
    const head: number = upgraded ? -1 : buffer.indexOf("\r\n\r\n");
    if (head !== -1) buffer = buffer.subarray(head + 4);
    upgraded ||= head !== -1;
    for (let frame = nextFrame(buffer); upgraded && frame !== null; frame = nextFrame(buffer)) {
      buffer = buffer.subarray(frame.end);
      if (ended === message - 1) lengths.push(frame.length);
      if (frame.fin) ended += 1;
      if (ended === message) return lengths;
    }
  }
  throw new Error("the connection ended before the message did");
}

function nextFrame(buffer: Buffer): { length: number; end: number; fin: boolean } | null {
  if (buffer.length < 10) return null;
  const short = buffer.readUInt8(1);
  const [length, header] =
    short === 127
      ? [Number(buffer.readBigUInt64BE(2)), 10]
      : short === 126
        ? [buffer.readUInt16BE(2), 4]
        : [short, 2];
  if (buffer.length < header + length) return null;
  return { length, end: header + length, fin: buffer.readUInt8(0) >= 0x80 };
}

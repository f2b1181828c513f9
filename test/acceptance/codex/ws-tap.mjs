// A byte-exact TCP relay in front of a WebSocket server which also reads along:
// it decodes the HTTP upgrade and every WebSocket frame in both directions and
// reports them, without touching what passes through. No dependencies.
//
//   const tap = await startTap({ target: 'ws://127.0.0.1:42001', onEvent });
//   tap.url         // ws://127.0.0.1:<port>, hand this to the client
//   tap.cut()       // resets all open connections (simulates a network failure)
//   tap.stall(true) // stops forwarding bytes, in both directions, until stall(false)
//   tap.refuse(true)// accepts and at once destroys new connections
//   await tap.close();
//
// Events: { at, conn, dir, kind, ... } where at is milliseconds since the tap
// started, dir is 'c2s' or 's2c', and kind is one of
//   open | close               a TCP connection came or went
//   refused                    a TCP connection was turned away (see refuse)
//   upgrade  { head }          request or response head of the handshake
//   message  { text | json }   a complete text or binary message
//   ping | pong | closeframe   control frames

import net from "node:net";
import tls from "node:tls";

/** Incremental reader for one direction of one connection. */
class FrameReader {
  constructor(emit) {
    this.emit = emit;
    this.buffer = Buffer.alloc(0);
    this.upgraded = false;
    this.parts = [];
    this.messageOpcode = 0;
  }

  push(chunk) {
    this.buffer = this.buffer.length ? Buffer.concat([this.buffer, chunk]) : chunk;
    if (!this.upgraded) {
      const end = this.buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.emit({
        kind: "upgrade",
        head: this.buffer.subarray(0, end).toString("latin1").split("\r\n"),
      });
      this.buffer = this.buffer.subarray(end + 4);
      this.upgraded = true;
    }
    while (this.readFrame());
  }

  readFrame() {
    const b = this.buffer;
    if (b.length < 2) return false;
    const fin = (b[0] & 0x80) !== 0;
    const opcode = b[0] & 0x0f;
    const masked = (b[1] & 0x80) !== 0;
    let length = b[1] & 0x7f;
    let at = 2;
    if (length === 126) {
      if (b.length < 4) return false;
      length = b.readUInt16BE(2);
      at = 4;
    } else if (length === 127) {
      if (b.length < 10) return false;
      length = Number(b.readBigUInt64BE(2));
      at = 10;
    }
    const need = at + (masked ? 4 : 0) + length;
    if (b.length < need) return false;
    let payload;
    if (masked) {
      const mask = b.subarray(at, at + 4);
      payload = Buffer.from(b.subarray(at + 4, need));
      for (let i = 0; i < payload.length; i++) payload[i] ^= mask[i & 3];
    } else {
      payload = Buffer.from(b.subarray(at, need));
    }
    this.buffer = b.subarray(need);
    this.frame(fin, opcode, payload);
    return true;
  }

  frame(fin, opcode, payload) {
    if (opcode === 0x9) return this.emit({ kind: "ping", bytes: payload.length });
    if (opcode === 0xa) return this.emit({ kind: "pong", bytes: payload.length });
    if (opcode === 0x8) {
      return this.emit({
        kind: "closeframe",
        code: payload.length >= 2 ? payload.readUInt16BE(0) : null,
        reason: payload.subarray(2).toString("utf8"),
      });
    }
    if (opcode !== 0) {
      this.messageOpcode = opcode;
      this.parts = [];
    }
    this.parts.push(payload);
    if (!fin) return undefined;
    const whole = Buffer.concat(this.parts);
    this.parts = [];
    const text = whole.toString("utf8");
    const event = { kind: "message", form: this.messageOpcode === 2 ? "binary" : "text" };
    try {
      event.json = JSON.parse(text);
    } catch {
      event.text = text;
    }
    return this.emit(event);
  }
}

export async function startTap({ target, port = 0, host = "127.0.0.1", onEvent = () => {} }) {
  const url = new URL(target);
  const secure = url.protocol === "wss:";
  const upstreamPort = Number(url.port || (secure ? 443 : 80));
  const started = Date.now();
  const pairs = new Set();
  let count = 0;
  let stalled = false;
  let refusing = false;

  const server = net.createServer({ pauseOnConnect: false }, (client) => {
    if (refusing) {
      onEvent({ at: Date.now() - started, conn: 0, dir: "c2s", kind: "refused" });
      client.destroy();
      return;
    }
    const conn = ++count;
    const report = (dir) => (event) => onEvent({ at: Date.now() - started, conn, dir, ...event });
    const upstream = secure
      ? tls.connect({ host: url.hostname, port: upstreamPort, servername: url.hostname })
      : net.connect({ host: url.hostname, port: upstreamPort });
    const pair = { client, upstream, conn };
    pairs.add(pair);
    report("c2s")({ kind: "open" });
    const readers = { c2s: new FrameReader(report("c2s")), s2c: new FrameReader(report("s2c")) };
    const relay = (from, to, dir) => {
      from.on("data", (chunk) => {
        readers[dir].push(chunk);
        if (!to.destroyed) to.write(chunk);
      });
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => {
        if (pairs.delete(pair)) report(dir)({ kind: "close" });
        to.destroy();
      });
    };
    relay(client, upstream, "c2s");
    relay(upstream, client, "s2c");
    if (stalled) {
      client.pause();
      upstream.pause();
    }
  });

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const actual = server.address().port;

  return {
    port: actual,
    url: `ws://${host}:${actual}${url.pathname === "/" ? "" : url.pathname}${url.search}`,
    get connections() {
      return count;
    },
    cut() {
      for (const { client, upstream } of [...pairs]) {
        client.resetAndDestroy ? client.resetAndDestroy() : client.destroy();
        upstream.destroy();
      }
    },
    stall(on) {
      stalled = on;
      for (const { client, upstream } of pairs) {
        if (on) {
          client.pause();
          upstream.pause();
        } else {
          client.resume();
          upstream.resume();
        }
      }
    },
    refuse(on) {
      refusing = on;
    },
    close: () =>
      new Promise((resolve) => {
        for (const { client, upstream } of [...pairs]) {
          client.destroy();
          upstream.destroy();
        }
        server.close(() => resolve());
      }),
  };
}

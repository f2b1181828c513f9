import { isUtf8 } from "node:buffer";
import type { WebSocket } from "ws";
import { FRAGMENT_BYTES, PING_INTERVAL_MS } from "../limits.ts";
import type { ExecServer } from "../server.ts";
import { CLOSE, type CloseCode, type Transport } from "./transport.ts";

/** What is known of the other end. */
export interface Peer {
  /** For error texts: an address, or what else tells one client from another. */
  readonly name: string;
  /** Whoever it is; null when that is not known. */
  readonly principal: string | null;
}

/** Serves the protocol on a WebSocket that has been accepted already. */
export function serveWebSocket(server: ExecServer, socket: WebSocket, peer: Peer): void {
  const transport = new WebSocketTransport(socket, peer.name, () => connection?.drained());
  const connection = server.connect(transport, peer.principal);
  socket.on("error", () => socket.terminate());
  if (connection === null) return;
  const pinging = setInterval(() => socket.ping(), PING_INTERVAL_MS).unref();
  socket.on("message", (data, isBinary) => {
    const bytes = joined(data);
    const readable = !isBinary || isUtf8(bytes);
    if (readable) connection.receive(bytes.toString("utf8"), bytes.length);
    else transport.close(CLOSE.invalidText, "a message that is not UTF-8");
  });
  socket.on("close", () => {
    clearInterval(pinging);
    server.disconnect(connection);
  });
}

function joined(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** Sends large messages in fragments: clients take no frame of more than 16 MiB. */
class WebSocketTransport implements Transport {
  readonly name: string;
  readonly #socket: WebSocket;
  readonly #onDrained: () => void;

  constructor(socket: WebSocket, peerName: string, onDrained: () => void) {
    this.name = `websocket JSON-RPC message from exec-server websocket ${peerName}`;
    this.#socket = socket;
    this.#onDrained = onDrained;
  }

  get pendingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(message: Uint8Array): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (let at = 0; at < message.length; at += FRAGMENT_BYTES) {
      const fin = at + FRAGMENT_BYTES >= message.length;
      const fragment = message.subarray(at, at + FRAGMENT_BYTES);
      this.#socket.send(fragment, { fin, binary: false }, this.#onDrained);
    }
  }

  /** What is not read cannot answer the close. */
  close(code: CloseCode, reason: string): void {
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

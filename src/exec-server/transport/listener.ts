import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { MAX_TOLERATED_MESSAGE_BYTES } from "../limits.ts";
import type { ExecServer } from "../server.ts";
import { type Refusal, refusalOf, upgradeFault } from "./upgrade.ts";
import { serveWebSocket } from "./websocket.ts";

interface ListenerOptions {
  /** Whoever a request is from, once it has been authenticated; null when that is not known. */
  readonly principalOf: (request: IncomingMessage) => string | null;
}

/** The protocol on an HTTP server: `on("request", …)` and `on("upgrade", …)` of `node:http`. */
export class Listener {
  readonly #server: ExecServer;
  readonly #options: ListenerOptions;
  readonly #upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => false,
    maxPayload: MAX_TOLERATED_MESSAGE_BYTES,
  });

  constructor(server: ExecServer, options: ListenerOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Everything that is not an upgrade. */
  readonly request = (request: IncomingMessage, response: ServerResponse): void => {
    const { status, headers, body } = refusalOf(request) ?? plainAnswer(request);
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(body);
  };

  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const refusal = refusalOf(request) ?? upgradeFault(request);
    if (refusal !== null) {
      refuse(socket, refusal);
      return;
    }
    this.#upgrades.handleUpgrade(request, socket, head, (client) => {
      const { remoteAddress, remotePort } = request.socket;
      const name = remoteAddress === undefined ? "local" : `${remoteAddress}:${remotePort}`;
      serveWebSocket(this.#server, client, { name, principal: this.#options.principalOf(request) });
    });
  };
}

function plainAnswer(request: IncomingMessage): Refusal {
  if (request.url === "/readyz") return { status: 200, headers: {}, body: "" };
  return upgradeFault(request) ?? { status: 400, headers: {}, body: "" };
}

function refuse(socket: Duplex, { status, headers, body }: Refusal): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
  socket.on("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}${length}\r\n${body}`);
}

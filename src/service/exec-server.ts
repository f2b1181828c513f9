import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import type { ExecServerClose } from "../contract/agent.ts";
import type { Channel } from "../core/agent-link.ts";
import type { Environments } from "../core/environments.ts";
import { asError, toProblem } from "../errors.ts";
import { isLoopback } from "./loopback.ts";
import type { OriginRules } from "./plugins/origin.ts";
import type { Tokens } from "./tokens.ts";

const PATH = /^\/v1\/environments\/([A-Za-z0-9_-]{1,64})\/exec-server$/;
/** What a client may send in one message before it is cut off; above half of it, it is told. */
const MAX_MESSAGE_BYTES = 134_217_728;
/** One frame to the client: stock clients take 16 MiB, and a message of any number of frames. */
const FRAGMENT_BYTES = 1_048_576;
/** Bytes that may wait for a slow client before the agent waits too. */
const HIGH_WATER_BYTES = 4_194_304;
const PING_INTERVAL_MS = 30_000;
/** @see RFC 6455 §7.4.1 */
const CLOSE = { goingAway: 1001, internalError: 1011 } as const;

interface Deps {
  readonly environments: Environments;
  readonly tokens: Tokens;
  readonly origins: OriginRules;
  readonly log: FastifyBaseLogger;
}

/**
 * `WS /v1/environments/{id}/exec-server`: the exec-server protocol of the Codex CLI. The service lets
 * callers in and passes messages on; the environment's agent speaks the protocol, and enforces.
 */
export function addExecServer(app: FastifyInstance, deps: Deps): void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  app.server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const admission = safely(() => admit(request, deps));
    if ("status" in admission) return refuse(stream, admission);
    sockets.handleUpgrade(request, stream, head, (socket) => {
      void serve(socket, admission, deps, nameOf(request));
    });
  });
  app.addHook("preClose", async () => {
    for (const socket of sockets.clients) socket.close(CLOSE.goingAway, "the service is stopping");
  });
}

/** A header that cannot be parsed lets nobody in, and takes nothing down. */
function safely(decide: () => Admitted | Refused): Admitted | Refused {
  try {
    return decide();
  } catch {
    return forbidden;
  }
}

interface Admitted {
  readonly environmentId: string;
  readonly principal: string;
}

interface Refused {
  readonly status: 401 | 403 | 404;
  /** As clients of this protocol know it. */
  readonly text: string;
}

/** Origin first, then the path, then the token: the order that clients of this protocol know. */
function admit(request: IncomingMessage, { tokens, origins }: Deps): Admitted | Refused {
  const { origin, host = "" } = request.headers;
  if (origin !== undefined && !origins.allowedOrigins.includes(origin)) return forbidden;
  if (origins.loopbackOnly && !isLoopback(new URL(`http://${host}`).hostname)) return forbidden;
  const url = new URL(request.url ?? "/", "http://service");
  const environmentId = PATH.exec(url.pathname)?.[1];
  if (environmentId === undefined) return { status: 404, text: "" };
  const token = tokenOf(request, url);
  if (typeof token !== "string") return token;
  const principal = tokens.nameOf(token);
  if (principal === null) return { status: 401, text: "invalid websocket bearer token" };
  return { environmentId, principal };
}

const forbidden: Refused = { status: 403, text: "" };

/** Stock clients can send no header, so the URL may carry the token. */
function tokenOf(request: IncomingMessage, url: URL): string | Refused {
  const { authorization } = request.headers;
  const inUrl = url.searchParams.get("token");
  if (authorization === undefined) {
    return inUrl ?? { status: 401, text: "missing websocket bearer token" };
  }
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  return token ?? { status: 401, text: "invalid authorization header" };
}

const REASONS = { 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" } as const;

function refuse(stream: Duplex, { status, text }: Refused): void {
  stream.on("error", () => stream.destroy());
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  stream.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

function nameOf({ socket }: IncomingMessage): string {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}

/** Messages that arrive before the agent's end is open wait in the socket. */
async function serve(
  socket: WebSocket,
  { environmentId, principal }: Admitted,
  { environments, log }: Deps,
  name: string,
): Promise<void> {
  const gone = new AbortController();
  socket.pause();
  socket.on("error", (err) => log.debug({ err, environmentId }, "exec-server client broke off"));
  socket.once("close", () => gone.abort());
  const ping = setInterval(() => socket.ping(), PING_INTERVAL_MS).unref();
  try {
    const peer = { name, principal };
    const talk = (channel: Channel, signal: AbortSignal) => relay(socket, channel, signal);
    await environments.get(environmentId).execServer(peer, talk, { signal: gone.signal });
    socket.close();
  } catch (error) {
    if (!gone.signal.aborted) log.info({ err: asError(error), environmentId }, "exec-server ended");
    socket.close(CLOSE.internalError, toProblem(error).detail.slice(0, 120));
  } finally {
    clearInterval(ping);
  }
}

/** Both ways until either side is gone. */
async function relay(socket: WebSocket, channel: Channel, signal: AbortSignal): Promise<void> {
  socket.on("message", (data) => {
    socket.pause();
    const sent = channel.send(asText(data));
    sent.then(
      () => socket.resume(),
      () => socket.close(CLOSE.internalError, "the environment's agent is away"),
    );
  });
  socket.once("close", () => channel.destroy());
  socket.resume();
  for (let message = await channel.next(); message; message = await channel.next()) {
    if (signal.aborted) return;
    if (message.isText) closeAs(socket, message.payload);
    else await deliver(socket, message.payload);
  }
}

function closeAs(socket: WebSocket, wish: Buffer): void {
  const { code, reason } = JSON.parse(wish.toString("utf8")) as ExecServerClose;
  socket.close(code, reason);
}

/** Clients may send text in binary messages; to the agent it is text in any case. */
function asText(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.from(data as Buffer).toString("utf8");
}

async function deliver(socket: WebSocket, message: Buffer): Promise<void> {
  for (let at = 0; at < message.length; at += FRAGMENT_BYTES) {
    const fin = at + FRAGMENT_BYTES >= message.length;
    const fragment = message.subarray(at, at + FRAGMENT_BYTES);
    await new Promise<void>((resolve) => {
      const roomy = socket.bufferedAmount < HIGH_WATER_BYTES;
      socket.send(fragment, { fin, binary: false }, () => resolve());
      if (roomy) resolve();
    });
  }
}

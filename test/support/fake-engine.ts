import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";

/** One route: what the fake does with a request whose `METHOD /path` matches. */
export interface Route {
  readonly on: RegExp;
  readonly do?: (response: ServerResponse, request: IncomingMessage) => void;
  /** Gets the raw connection after an upgrade. */
  readonly upgrade?: (connection: Duplex) => void;
}

export interface FakeEngine {
  /** As in `DOCKER_HOST`. */
  readonly host: string;
  /** `METHOD /path` of every request, in order. */
  readonly requests: string[];
  /** Connections that are open now. */
  connections(): number;
}

const UPGRADED = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

/** An engine that does what a test tells it, and nothing else: the first route that matches counts. */
export async function fakeEngine(t: TestContext, routes: readonly Route[]): Promise<FakeEngine> {
  const folder = await mkdtemp(join(tmpdir(), "outwork-fake-"));
  const path = join(folder, "engine.sock");
  const requests: string[] = [];
  const open = new Set<Duplex>();
  const server = createServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    requests.push(asked);
    const route = routes.find(({ on }) => on.test(asked));
    if (route?.do) route.do(response, request);
    else reply(501, { message: `the fake does not know ${asked}` })(response);
  });
  server.on("upgrade", (request, connection) => {
    const asked = `${request.method} ${request.url}`;
    requests.push(asked);
    connection.write(UPGRADED);
    connection.resume().on("end", () => connection.end());
    routes.find(({ on }) => on.test(asked))?.upgrade?.(connection);
  });
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  server.listen(path);
  await once(server, "listening");
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    for (const socket of open) socket.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  return { host: `unix://${path}`, requests, connections: () => open.size };
}

/** A route's answer in JSON. */
export function reply(status: number, body: unknown = ""): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
}

/** No answer, ever. */
export function silence(): void {}

/** What an engine answers when all is well, up to the start of a container, which gets no further. */
export const WELL: readonly Route[] = [
  {
    on: /^GET \/info/,
    do: reply(200, {
      Architecture: process.arch === "arm64" ? "aarch64" : "x86_64",
      SecurityOptions: ["name=seccomp,profile=default"],
      MemoryLimit: true,
      PidsLimit: true,
      CpuCfsQuota: true,
    }),
  },
  { on: /^GET \/volumes\//, do: reply(200, { Name: "v", CreatedAt: "2026-01-01T00:00:00Z" }) },
  { on: /^GET \/volumes/, do: reply(200, { Volumes: [] }) },
  { on: /^POST \/volumes\/create/, do: reply(201, { Name: "v" }) },
  { on: /^GET \/images\//, do: reply(200, { Id: "sha256:0", Config: { Env: ["A=b"] } }) },
  { on: /^POST \/containers\/create/, do: reply(201, { Id: "c1" }) },
  { on: /^POST .*\/attach/, upgrade: silence },
  { on: /^POST .*\/start/, do: reply(204) },
  { on: /^HEAD .*complete/, do: statOf(0o644) },
  { on: /^HEAD .*archive/, do: reply(404) },
  { on: /^PUT .*archive/, do: swallow },
  { on: /^GET .*archive/, do: reply(404, { message: "no such file" }) },
  { on: /^GET \/events/, do: (response) => response.writeHead(200).flushHeaders() },
  { on: /^GET \/containers\/json/, do: reply(200, []) },
  { on: /^DELETE /, do: reply(204) },
];

function statOf(mode: number): (response: ServerResponse) => void {
  const stat = Buffer.from(JSON.stringify({ mode })).toString("base64");
  return (response) => {
    response.writeHead(200, { "x-docker-container-path-stat": stat });
    response.end();
  };
}

function swallow(response: ServerResponse, request: IncomingMessage): void {
  request.resume().on("end", () => reply(200)(response));
}

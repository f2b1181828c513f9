import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { gzipSync } from "node:zlib";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  "/echo": ({ method, rawHeaders }, response, body) => {
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.end(JSON.stringify({ method, headers: rawHeaders, body }));
  },
  "/see-other": (_, response) => void response.writeHead(302, { location: "/echo" }).end("moved"),
  "/same-again": (_, response) => void response.writeHead(307, { location: "/echo" }).end(),
  "/loop": (_, response) => void response.writeHead(302, { location: "/loop" }).end(),
  "/failed": (_, response) => void response.writeHead(500).end("err"),
  "/empty": (_, response) => void response.writeHead(204).end(),
  "/gzip": (_, response) => {
    response.setHeader("content-encoding", "gzip").end(gzipSync("hello gzip"));
  },
  "/bomb": (_, response) => {
    response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(200_000_000)));
  },
  "/never": () => {},
  "/stuck": (_, response) => void response.write("head"),
  "/broken": (_, response) => void response.write("part", () => response.destroy()),
  "/large": (_, response) => void response.end(Buffer.alloc(3_000_000, "0123456789")),
  "/pieces": (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 0\n\n", () => setImmediate(() => response.end("end")));
  },
};

/** A web server with one peculiar page a path. */
export async function openWeb(t: TestContext): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    HANDLERS[request.url ?? ""]?.(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

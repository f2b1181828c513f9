import type { IncomingMessage } from "node:http";

/** An answer that is not a WebSocket. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TEXT = { "content-type": "text/plain; charset=utf-8" };

/** Why a request gets nowhere, whatever it asks for. Browsers are kept out before all else. */
export function refusalOf({ url, method, headers }: IncomingMessage): Refusal | null {
  if (headers.origin !== undefined) return { status: 403, headers: {}, body: "" };
  const [path] = (url ?? "").split("?");
  const reads = method === "GET" || method === "HEAD";
  if (path === "/readyz") {
    return reads ? null : { status: 405, headers: { allow: "GET,HEAD" }, body: "" };
  }
  return path === "/" ? null : { status: 404, headers: {}, body: "" };
}

/** What keeps a request from being a WebSocket upgrade. */
export function upgradeFault({ method, headers }: IncomingMessage): Refusal | null {
  const fault = headerFault(headers);
  if (fault !== null) return { status: 400, headers: TEXT, body: fault };
  return method === "GET" ? null : { status: 405, headers: {}, body: "" };
}

function headerFault(headers: IncomingMessage["headers"]): string | null {
  if (!lists(headers.connection, "upgrade")) return "Connection header did not include 'upgrade'";
  if (!lists(headers.upgrade, "websocket")) return "`Upgrade` header did not include 'websocket'";
  if (headers["sec-websocket-version"] !== "13") {
    return "`Sec-WebSocket-Version` header did not include '13'";
  }
  return headers["sec-websocket-key"] === undefined ? "`Sec-WebSocket-Key` header missing" : null;
}

function lists(header: string | undefined, word: string): boolean {
  const words = (header ?? "").split(",").map((item) => item.trim().toLowerCase());
  return words.includes(word);
}

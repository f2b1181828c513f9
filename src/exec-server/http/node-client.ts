import * as http from "node:http";
import * as https from "node:https";
import type { HttpClient, HttpExchange, HttpHeader, HttpReply, WaitOptions } from "../ports.ts";

/** Sends requests from this very process: what it can reach, so can its clients. */
export class NodeHttpClient implements HttpClient {
  exchange(exchange: HttpExchange, { signal }: WaitOptions): Promise<HttpReply> {
    const { request } = exchange.url.protocol === "https:" ? https : http;
    return new Promise((resolve, reject) => {
      const outgoing = request(addressOf(exchange, signal), (incoming) => {
        resolve(replyOf(incoming));
      });
      outgoing.on("error", reject);
      outgoing.end(exchange.body ?? undefined);
    });
  }
}

/** A fresh connection each time: nothing of one request is left to the next. */
function addressOf({ method, url, headers, body }: HttpExchange, signal: AbortSignal) {
  const { hostname, port, pathname, search } = url;
  return {
    method,
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? undefined : port,
    path: pathname + search,
    headers: rawHeaders(withLength(headers, method, body), url.host),
    setHost: false,
    agent: false,
    signal,
  } as const;
}

function withLength(
  headers: readonly HttpHeader[],
  method: string,
  body: Uint8Array | null,
): readonly HttpHeader[] {
  const framed = headers.some(({ name }) => /^(?:content-length|transfer-encoding)$/i.test(name));
  const expectsBody = !["GET", "HEAD", "DELETE", "OPTIONS"].includes(method);
  if (framed || (body === null && !expectsBody)) return headers;
  return [...headers, { name: "content-length", value: String(body?.length ?? 0) }];
}

/** Names and values in turn: the only form that keeps order, case and repeats. */
function rawHeaders(headers: readonly HttpHeader[], host: string): string[] {
  const named = headers.some(({ name }) => name.toLowerCase() === "host");
  const all = named ? headers : [{ name: "host", value: host }, ...headers];
  return all.flatMap(({ name, value }) => [name, value]);
}

function replyOf(incoming: http.IncomingMessage): HttpReply {
  const { rawHeaders: raw } = incoming;
  const headers: HttpHeader[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    headers.push({ name: (raw[at] ?? "").toLowerCase(), value: raw[at + 1] ?? "" });
  }
  return { status: incoming.statusCode ?? 0, headers, body: incoming };
}

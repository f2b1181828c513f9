import type { HttpExchange, HttpHeader, HttpReply } from "../ports.ts";

const REDIRECTS = [301, 302, 303, 307, 308];
const KEEPS_METHOD = [307, 308];
/** For the server they were meant for, and no other. */
const SECRETS = ["authorization", "cookie", "cookie2", "proxy-authorization", "www-authenticate"];
const OF_THE_BODY = ["content-length", "content-type", "content-encoding", "transfer-encoding"];

/** Where a reply sends the client, as the next exchange; null when it is the last one. */
export function nextExchange(previous: HttpExchange, reply: HttpReply): HttpExchange | null {
  if (!REDIRECTS.includes(reply.status)) return null;
  const url = target(previous.url, reply.headers);
  if (url === null) return null;
  const { method } = previous;
  const keeps = KEEPS_METHOD.includes(reply.status) || method === "GET" || method === "HEAD";
  const kept = previous.headers.filter(({ name }) =>
    survives(name.toLowerCase(), previous.url, url),
  );
  const headers = keeps
    ? kept
    : kept.filter(({ name }) => !OF_THE_BODY.includes(name.toLowerCase()));
  return {
    method: keeps ? method : "GET",
    url,
    headers: [...headers, ...referer(previous.url, url)],
    body: keeps ? previous.body : null,
  };
}

function target(base: URL, headers: readonly HttpHeader[]): URL | null {
  const location = headers.find(({ name }) => name === "location")?.value;
  if (location === undefined) return null;
  try {
    const url = new URL(Buffer.from(location, "latin1").toString(), base);
    return url.protocol === "http:" || url.protocol === "https:" ? url : null;
  } catch {
    return null;
  }
}

function survives(name: string, from: URL, to: URL): boolean {
  if (name === "host" || name === "referer") return false;
  return !SECRETS.includes(name) || (from.host === to.host && from.protocol === to.protocol);
}

function referer(from: URL, to: URL): HttpHeader[] {
  if (from.protocol === "https:" && to.protocol === "http:") return [];
  const value = new URL(from);
  value.username = "";
  value.password = "";
  value.hash = "";
  return [{ name: "referer", value: value.href }];
}

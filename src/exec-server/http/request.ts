import type { HttpRequestParams } from "../params/http.ts";
import type { HttpExchange, HttpHeader } from "../ports.ts";
import { clip } from "../quote.ts";
import { invalidParams } from "../rpc-error.ts";
import { acceptedEncodings } from "./encodings.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const SCHEME = /^[\0-\x20]*([A-Za-z][A-Za-z0-9+.-]*):/;

/** Credentials of the executor's own clients, which no request may carry away. */
const SECRET_VARIABLES = /^(?:AWS_|CODEX_|OPENAI_|ANTHROPIC_|OUTWORK_)/i;

/** The first exchange that a request asks for. @throws RpcError that names what is wrong with it */
export function firstExchange(
  params: HttpRequestParams,
  variables: Readonly<Record<string, string>>,
): HttpExchange {
  if (!TOKEN.test(params.method)) {
    throw invalidParams("http/request method is invalid: invalid HTTP method");
  }
  const url = parseUrl(params.url);
  const headers = params.headers.map((header) => headerOf(header, variables));
  return {
    method: params.method,
    url,
    headers: [...headers, ...missingHeaders(headers, url)],
    body: params.bodyBase64,
  };
}

function parseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw invalidParams(`http/request url is invalid: ${urlFault(text)}`);
  }
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  const scheme = url.protocol.slice(0, -1);
  throw invalidParams(`http/request only supports http and https URLs, got ${clip(scheme)}`);
}

function urlFault(text: string): string {
  if (!SCHEME.test(text)) return "relative URL without a base";
  if (/^[^:]*:[/\\]*$/.test(text)) return "empty host";
  return /:\d{5,}/.test(text) ? "invalid port number" : "invalid international domain name";
}

function headerOf(
  { name, value, valueEnvVar }: HttpRequestParams["headers"][number],
  variables: Readonly<Record<string, string>>,
): HttpHeader {
  if (!TOKEN.test(name)) {
    throw invalidParams("http/request header name is invalid: invalid HTTP header name");
  }
  const secret = valueEnvVar === null ? "" : variable(name, valueEnvVar, variables);
  const whole = value + secret;
  if (!isHeaderValue(whole)) {
    const fault = "failed to parse header value";
    throw invalidParams(`http/request header value is invalid for ${clip(name)}: ${fault}`);
  }
  return { name, value: Buffer.from(whole).toString("latin1") };
}

function variable(
  header: string,
  name: string,
  variables: Readonly<Record<string, string>>,
): string {
  const where = `http/request header ${clip(header)}`;
  if (SECRET_VARIABLES.test(name)) {
    throw invalidParams(`${where} cannot use executor environment variable ${clip(name)}`);
  }
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value !== undefined) return value;
  throw invalidParams(`${where} requires executor environment variable ${clip(name)}`);
}

/** No control characters but the tab. */
function isHeaderValue(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return false;
  }
  return true;
}

function missingHeaders(headers: readonly HttpHeader[], url: URL): HttpHeader[] {
  const present = new Set(headers.map(({ name }) => name.toLowerCase()));
  const usual = [
    { name: "accept", value: "*/*" },
    { name: "accept-encoding", value: acceptedEncodings() },
    ...basicAuthorization(url),
  ];
  return usual.filter(({ name }) => !present.has(name));
}

function basicAuthorization({ username, password }: URL): HttpHeader[] {
  if (username === "" && password === "") return [];
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const value = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return [{ name: "authorization", value }];
}

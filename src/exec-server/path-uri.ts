import { string } from "./decode.ts";
import { DecodeError } from "./decode-error.ts";
import { clip } from "./quote.ts";

/** A `file:` URI that is well formed and normalised. It may still be another machine's path. */
export type PathUri = string & { readonly __brand: "PathUri" };

const SCHEME = /^[\0-\x20]*[A-Za-z][A-Za-z0-9+.-]*:/;
const CREDENTIALS = /^file:[/\\]{2}[^/\\?#]*@/i;
const WINDOWS_DRIVE = /^\/[A-Za-z](?::|%3A)(?:\/|$)/i;
const ESCAPED = /%([0-9A-Fa-f]{2})/g;

/** Bytes that a path may not show as they are: the URL standard's set, and the escape itself. */
const HIDDEN = /[^A-Za-z0-9\-._~/!$&'()*+,;=:@[\]^|]/g;

/** @throws DecodeError when the text is not a `file:` URI of a path */
export function parsePathUri(text: string): PathUri {
  const url = parseUrl(text);
  if (url.protocol !== "file:") {
    const scheme = clip(url.protocol.slice(0, -1));
    throw new DecodeError(`unsupported path URI scheme \`${scheme}\``);
  }
  if (url.href.includes("#")) throw new DecodeError("fragments are not allowed in path URIs");
  if (url.href.includes("?")) {
    throw new DecodeError("query parameters are not allowed in path URIs");
  }
  if (url.href.includes("%00")) throw new DecodeError(unfit(url.href));
  return url.href as PathUri;
}

/** How parameters take a path. */
export const pathUri = (value: Parameters<typeof string>[0]): PathUri =>
  parsePathUri(string(value));

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new DecodeError(whyNotUrl(text));
  }
}

function whyNotUrl(text: string): string {
  if (!SCHEME.test(text)) return "invalid URI: relative URL without a base";
  if (CREDENTIALS.test(text)) return "credentials are not allowed in path URIs";
  return "invalid URI: invalid international domain name";
}

/** Whether the path can be one of this host: no authority, no drive letter. */
export function fitsHost(uri: PathUri): boolean {
  const { host, pathname } = new URL(uri);
  return host === "" && !WINDOWS_DRIVE.test(pathname);
}

/** `'file:///C:/x' is invalid on 'linux'` */
export function unfit(uri: string): string {
  return `'${clip(uri)}' is invalid on 'linux'`;
}

/** The bytes of the path. Doubled and trailing slashes are gone; the kernel sees the rest as sent. */
export function nativeBytes(uri: PathUri): Buffer {
  const path = unescaped(new URL(uri).pathname).replace(/\/{2,}/g, "/");
  return Buffer.from(path === "/" ? path : path.replace(/\/$/, ""), "latin1");
}

/** The path as text, for arguments and messages. Bytes that are not UTF-8 become U+FFFD. */
export function nativePath(uri: PathUri): string {
  return nativeBytes(uri).toString("utf8");
}

/** One character a byte. A stray `%` stands for itself. */
function unescaped(pathname: string): string {
  return pathname.replace(ESCAPED, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The URI of an absolute path on this host. */
export function uriOf(path: string | Uint8Array): PathUri {
  const bytes = Buffer.from(path).toString("latin1");
  return `file://${bytes.replace(HIDDEN, escapeByte)}` as PathUri;
}

function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

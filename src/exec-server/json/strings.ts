import type { Cursor } from "./cursor.ts";

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SURROGATE = /^[dD][89a-fA-F]/;
const HIGH_SURROGATE = /^[dD][89abAB]/;
const LOW_SURROGATE = /\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
const UNICODE_ESCAPE_CHARS = 6;

/**
 * Reads a string literal that starts at the cursor. The result shares no memory with the message:
 * a short id must not keep 64 MiB alive.
 */
export function readString(cursor: Cursor): string {
  const start = cursor.at;
  const { end, escaped } = findEnd(cursor);
  if (escaped) checkEscapes(cursor, start + 1, end);
  cursor.at = end + 1;
  try {
    return JSON.parse(cursor.text.slice(start, end + 1)) as string;
  } catch {
    throw controlCharacter(cursor, start + 1);
  }
}

/** Every character is passed once, mostly by the native search. */
function findEnd(cursor: Cursor): { end: number; escaped: boolean } {
  const { text } = cursor;
  let at = cursor.at + 1;
  let quote = text.indexOf('"', at);
  let escaped = false;
  for (;;) {
    if (quote === -1) throw cursor.failAt("EOF while parsing a string", text.length);
    const backslash = text.slice(at, quote).indexOf("\\");
    if (backslash === -1) return { end: quote, escaped };
    escaped = true;
    at += backslash + 2;
    if (at > quote) quote = text.indexOf('"', at);
  }
}

function controlCharacter(cursor: Cursor, from: number): Error {
  let at = from;
  while (at < cursor.text.length && cursor.text.charCodeAt(at) >= 0x20) at += 1;
  const reason = "control character (\\u0000-\\u001F) found while parsing a string";
  return cursor.failAt(reason, at);
}

/** `JSON.parse` would take a lone surrogate, which no UTF-8 can carry. */
function checkEscapes(cursor: Cursor, from: number, end: number): void {
  const { text } = cursor;
  let at = text.indexOf("\\", from);
  while (at !== -1 && at < end) at = text.indexOf("\\", afterEscape(cursor, at));
}

function afterEscape(cursor: Cursor, at: number): number {
  ESCAPE.lastIndex = at;
  if (!ESCAPE.test(cursor.text)) throw invalidEscape(cursor, at);
  if (cursor.text.charAt(at + 1) !== "u") return at + 2;
  const digits = cursor.text.slice(at + 2, at + UNICODE_ESCAPE_CHARS);
  return at + UNICODE_ESCAPE_CHARS + (SURROGATE.test(digits) ? pair(cursor, at, digits) : 0);
}

/** The length of the second half of a surrogate pair. */
function pair(cursor: Cursor, at: number, digits: string): number {
  const second = at + UNICODE_ESCAPE_CHARS;
  LOW_SURROGATE.lastIndex = second;
  if (HIGH_SURROGATE.test(digits) && LOW_SURROGATE.test(cursor.text)) return UNICODE_ESCAPE_CHARS;
  if (!HIGH_SURROGATE.test(digits)) throw loneSurrogate(cursor, second);
  if (cursor.text.startsWith("\\u", second)) {
    throw loneSurrogate(cursor, second + UNICODE_ESCAPE_CHARS);
  }
  throw cursor.failAt("unexpected end of hex escape", second + 1);
}

function loneSurrogate(cursor: Cursor, end: number): Error {
  return cursor.failAt("lone leading surrogate in hex escape", end);
}

function invalidEscape(cursor: Cursor, at: number): Error {
  const length = cursor.text.charAt(at + 1) === "u" ? UNICODE_ESCAPE_CHARS : 2;
  return cursor.failAt("invalid escape", Math.min(at + length, cursor.text.length));
}

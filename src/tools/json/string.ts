import type { JsonCursor } from "./cursor.ts";

const END = "EOF while parsing a string";
const CONTROL = "control character (\\u0000-\\u001F) found while parsing a string";
const LONE = "lone leading surrogate in hex escape";

const ESCAPES = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads a string from behind its opening quote. */
export function readString(cursor: JsonCursor): string {
  let text = "";
  for (;;) {
    text += cursor.takeWhile(isPlain);
    const char = cursor.next();
    if (char === '"') return text;
    if (char === "\\") text += readEscape(cursor);
    else cursor.fail(char === "" ? END : CONTROL);
  }
}

/** Passes over a string, from behind its opening quote. Surrogates need no partner there. */
export function skipString(cursor: JsonCursor): void {
  for (;;) {
    cursor.takeWhile(isPlain);
    const char = cursor.peek();
    if (char !== '"' && char !== "\\") cursor.fail(char === "" ? END : CONTROL);
    cursor.next();
    if (char === '"') return;
    if (escapeName(cursor) === "u") readHex(cursor);
  }
}

function isPlain(byte: number): boolean {
  return byte !== 0x22 && byte !== 0x5c && byte >= 0x20;
}

function readEscape(cursor: JsonCursor): string {
  const name = escapeName(cursor);
  return ESCAPES.get(name) ?? readUnicode(cursor);
}

function escapeName(cursor: JsonCursor): string {
  const name = cursor.next();
  if (name === "") cursor.fail(END);
  if (name !== "u" && !ESCAPES.has(name)) cursor.fail("invalid escape");
  return name;
}

function readUnicode(cursor: JsonCursor): string {
  const unit = readHex(cursor);
  if (isTrailing(unit)) cursor.fail(LONE);
  if (!isLeading(unit)) return String.fromCharCode(unit);
  for (const expected of "\\u") {
    const char = cursor.next();
    if (char !== expected) cursor.fail(char === "" ? END : "unexpected end of hex escape");
  }
  const trailing = readHex(cursor);
  if (!isTrailing(trailing)) cursor.fail(LONE);
  return String.fromCharCode(unit, trailing);
}

function readHex(cursor: JsonCursor): number {
  const digits = cursor.take(4);
  if (digits.length < 4) cursor.fail(END);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) cursor.fail("invalid escape");
  return Number.parseInt(digits, 16);
}

function isLeading(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isTrailing(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

import type { JsonCursor } from "./cursor.ts";

export type JsonNumber =
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number };

const INVALID = "invalid number";
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 64n - 1n;
/** Digits and sign of the longest integer in range. */
const LONGEST_INTEGER = 20;

/** Reads a number. Integers beyond 64 bits, and `-0`, are floating point. */
export function readNumber(cursor: JsonCursor): JsonNumber {
  const text = cursor.over(() => scanNumber(cursor, "EOF while parsing a value"));
  const integer = asInteger(text);
  if (integer !== undefined) return { kind: "integer", value: integer };
  const value = Number(text);
  if (!Number.isFinite(value)) cursor.fail("number out of range");
  return { kind: "float", value };
}

/** Passes over a number, however large. */
export function skipNumber(cursor: JsonCursor): void {
  scanNumber(cursor, INVALID);
}

/** Does a value that begins with this character have to be a number? */
export function startsNumber(char: string): boolean {
  return char === "-" || isDigit(char);
}

/** As error lines show it. */
export function describeNumber(number: JsonNumber): string {
  return number.kind === "integer"
    ? `integer \`${number.value}\``
    : `floating point \`${describeFloat(number.value)}\``;
}

function asInteger(text: string): bigint | undefined {
  if (text.length > LONGEST_INTEGER || text === "-0" || !/^-?\d+$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= MIN_INTEGER && value <= MAX_INTEGER ? value : undefined;
}

function scanNumber(cursor: JsonCursor, atEnd: string): void {
  if (cursor.peek() === "-") cursor.next();
  const first = requireDigit(cursor, atEnd);
  if (first === "0" && isDigit(cursor.peek())) cursor.failAhead(INVALID);
  cursor.takeWhile(isDigitByte);
  if (cursor.peek() === ".") scanFraction(cursor, atEnd);
  if (/[eE]/.test(cursor.peek())) scanExponent(cursor, atEnd);
}

function scanFraction(cursor: JsonCursor, atEnd: string): void {
  cursor.next();
  if (cursor.takeWhile(isDigitByte) !== "") return;
  cursor.failAhead(cursor.peek() === "" ? atEnd : INVALID);
}

function scanExponent(cursor: JsonCursor, atEnd: string): void {
  cursor.next();
  if (/[+-]/.test(cursor.peek())) cursor.next();
  requireDigit(cursor, atEnd);
  cursor.takeWhile(isDigitByte);
}

function requireDigit(cursor: JsonCursor, atEnd: string): string {
  const char = cursor.next();
  if (!isDigit(char)) cursor.fail(char === "" ? atEnd : INVALID);
  return char;
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}

function isDigitByte(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Shortest digits with a decimal point, or an exponent outside of 1e-5 … 1e16. */
function describeFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -5 || power > 15) return `${digits}e${power}`;
  return Number.isInteger(value) ? `${value}.0` : `${value}`;
}

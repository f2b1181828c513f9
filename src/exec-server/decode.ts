import { decodeBase64 } from "./base64.ts";
import { DecodeError } from "./decode-error.ts";
import { type Json, JsonNumber } from "./json/value.ts";
import { clip } from "./quote.ts";

/** Turns a JSON value into a typed one. @throws DecodeError in the reference's words */
export type Decoder<T> = (value: Json) => T;

const U64_MAX = 18_446_744_073_709_551_615n;
const UNSIGNED_LITERAL = /^\d{1,20}$/;

export const string: Decoder<string> = (value) => {
  if (typeof value !== "string") throw mismatch(value, "a string");
  return value;
};

export const boolean: Decoder<boolean> = (value) => {
  if (typeof value !== "boolean") throw mismatch(value, "a boolean");
  return value;
};

/** An unsigned integer, exactly. `type` is what the error calls it. */
export function unsigned(type: "u64" | "usize" | "u16", max: bigint = U64_MAX): Decoder<bigint> {
  return (value) => {
    if (!(value instanceof JsonNumber)) throw mismatch(value, type);
    if (!UNSIGNED_LITERAL.test(value.literal)) throw new DecodeError("invalid number");
    const integer = BigInt(value.literal);
    if (integer > max) throw new DecodeError("invalid number");
    return integer;
  };
}

export const u64 = unsigned("u64");

/** An unsigned integer as a double. Beyond 2^53 it only means "a lot". */
export function count(type: "u64" | "usize" = "usize"): Decoder<number> {
  const decode = unsigned(type);
  return (value) => Math.min(Number(decode(value)), Number.MAX_SAFE_INTEGER);
}

export const base64: Decoder<Buffer> = (value) => decodeBase64(string(value));

export function list<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw mismatch(value, "a sequence");
    return value.map(item);
  };
}

/** An object with any keys. */
export function record<T>(item: Decoder<T>): Decoder<ReadonlyMap<string, T>> {
  return (value) => {
    if (!(value instanceof Map)) throw mismatch(value, "a map");
    return new Map([...value].map(([key, member]) => [key, item(member)]));
  };
}

/** `null` stands for nothing. */
export function nullable<T>(item: Decoder<T>): Decoder<T | null> {
  return (value) => (value === null ? null : item(value));
}

/** What decodes, changed into something else; the change may refuse too. */
export function mapped<T, U>(decode: Decoder<T>, change: (value: T) => U): Decoder<U> {
  return (value) => change(decode(value));
}

/** Anything: the reference looks no closer, and neither do we. */
export const anything: Decoder<Json> = (value) => value;

export function mismatch(value: Json, expected: string): DecodeError {
  return new DecodeError(`invalid type: ${describe(value)}, expected ${expected}`);
}

function describe(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return `boolean \`${value}\``;
  if (typeof value === "string") return `string ${JSON.stringify(clip(value))}`;
  if (value instanceof JsonNumber) return "number";
  return value instanceof Map ? "map" : "sequence";
}

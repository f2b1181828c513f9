import type { JsonCursor } from "./cursor.ts";
import { describeNumber, readNumber, startsNumber } from "./number.ts";
import { quote } from "./quote.ts";
import { readString } from "./string.ts";
import { readWord } from "./tokens.ts";

/** Reads one value of a known type, or fails by saying what was there and what was expected. */
export type Reader<T> = (cursor: JsonCursor) => T;

export const text: Reader<string> = (cursor) => {
  if (cursor.token() !== '"') failType(cursor, "a string");
  cursor.next();
  return readString(cursor);
};

export const flag: Reader<boolean> = (cursor) => {
  const first = cursor.token();
  if (first !== "t" && first !== "f") failType(cursor, "a boolean");
  readWord(cursor, first === "t" ? "true" : "false");
  return first === "t";
};

/** An integer of a named type. A value that a double cannot hold is rounded down to one that it can. */
export function integer(type: string, min: bigint, max: bigint): Reader<number> {
  return (cursor) => {
    if (!startsNumber(cursor.token())) failType(cursor, type);
    const number = readNumber(cursor);
    const found = describeNumber(number);
    if (number.kind === "float") cursor.fail(`invalid type: ${found}, expected ${type}`);
    const fits = number.value >= min && number.value <= max;
    if (!fits) cursor.fail(`invalid value: ${found}, expected ${type}`);
    return Math.min(Number(number.value), Number.MAX_SAFE_INTEGER);
  };
}

/** One of a few names. */
export function variant<T extends string>(names: readonly T[]): Reader<T> {
  return (cursor) => {
    const first = cursor.token();
    if (first !== '"' && first !== "") cursor.failAhead("expected value");
    const name = text(cursor);
    const known = names.find((candidate) => candidate === name);
    const choice = names.map((candidate) => `\`${candidate}\``).join(", ");
    return known ?? cursor.fail(`unknown variant \`${name}\`, expected one of ${choice}`);
  };
}

export function list<T>(read: Reader<T>): Reader<T[]> {
  return (cursor) => {
    if (cursor.token() !== "[") failType(cursor, "a sequence");
    cursor.next();
    const values: T[] = [];
    while (hasElement(cursor, values.length === 0)) values.push(read(cursor));
    cursor.next();
    return values;
  };
}

function hasElement(cursor: JsonCursor, isFirst: boolean): boolean {
  const char = cursor.token();
  if (char === "") cursor.failAhead("EOF while parsing a list");
  if (char === "]") return false;
  if (isFirst) return true;
  if (char !== ",") cursor.failAhead("expected `,` or `]`");
  cursor.next();
  if (cursor.token() === "]") cursor.failAhead("trailing comma");
  return true;
}

/** Fails at a value that is well formed as far as it goes, but of another type. */
export function failType(cursor: JsonCursor, expected: string): never {
  const found = describeValue(cursor);
  cursor.fail(`invalid type: ${found}, expected ${expected}`);
}

function describeValue(cursor: JsonCursor): string {
  const char = cursor.token();
  if (char === "") cursor.failAhead("EOF while parsing a value");
  if (char === "[") return "sequence";
  if (char === "{") return "map";
  if (startsNumber(char)) return describeNumber(readNumber(cursor));
  return describeWord(cursor, char);
}

function describeWord(cursor: JsonCursor, char: string): string {
  switch (char) {
    case "n":
      readWord(cursor, "null");
      return "null";
    case "t":
    case "f":
      return `boolean \`${flag(cursor)}\``;
    case '"':
      return `string ${quote(text(cursor))}`;
    default:
      return cursor.failAhead("expected value");
  }
}

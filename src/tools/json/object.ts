import type { JsonCursor } from "./cursor.ts";
import { failType, type Reader } from "./readers.ts";
import { skipValue } from "./skip.ts";
import { readString } from "./string.ts";
import { readColon, readWord } from "./tokens.ts";

type Readers = Readonly<Record<string, Reader<unknown>>>;
type Values<R extends Readers> = { [K in keyof R]: R[K] extends Reader<infer T> ? T : never };

/** The members that an object has to have, and those that may be absent or null. */
export interface Members<R extends Readers, O extends Readers> {
  readonly required: R;
  readonly optional: O;
}

/** Reads an object by its known members; null for an optional one is absence, others are ignored. */
export function object<R extends Readers, O extends Readers>(
  name: string,
  members: Members<R, O>,
): Reader<Values<R> & Partial<Values<O>>> {
  const readers = new Map<string, Reader<unknown>>([
    ...Object.entries(members.required),
    ...Object.entries(members.optional).map(([key, read]) => [key, orNull(read)] as const),
  ]);
  return (cursor) => {
    const found = readMembers(cursor, name, readers);
    const missing = Object.keys(members.required).find((key) => !found.has(key));
    if (missing !== undefined) cursor.fail(`missing field \`${missing}\``);
    const present = [...found].filter(([, value]) => value !== undefined);
    return Object.fromEntries(present) as Values<R> & Partial<Values<O>>;
  };
}

function readMembers(
  cursor: JsonCursor,
  name: string,
  readers: ReadonlyMap<string, Reader<unknown>>,
): Map<string, unknown> {
  if (cursor.token() !== "{") failType(cursor, `struct ${name}`);
  cursor.next();
  const found = new Map<string, unknown>();
  for (let isFirst = true; hasMember(cursor, isFirst); isFirst = false) {
    cursor.next();
    const key = readString(cursor);
    if (found.has(key)) failDuplicate(cursor, key);
    readColon(cursor);
    const read = readers.get(key);
    if (read === undefined) skipValue(cursor);
    else found.set(key, read(cursor));
  }
  cursor.next();
  return found;
}

function hasMember(cursor: JsonCursor, isFirst: boolean): boolean {
  let char = cursor.token();
  if (char === "") cursor.failAhead("EOF while parsing an object");
  if (char === "}") return false;
  if (!isFirst) {
    if (char !== ",") cursor.failAhead("expected `,` or `}`");
    cursor.next();
    char = cursor.token();
    if (char === "") cursor.failAhead("EOF while parsing a value");
    if (char === "}") cursor.failAhead("trailing comma");
  }
  if (char !== '"') cursor.failAhead("key must be a string");
  return true;
}

/** The object is first looked at for its end, so the place is behind the white space. */
function failDuplicate(cursor: JsonCursor, key: string): never {
  if (cursor.token() === "}") cursor.next();
  cursor.fail(`duplicate field \`${key}\``);
}

function orNull<T>(read: Reader<T>): Reader<T | undefined> {
  return (cursor) => {
    if (cursor.token() !== "n") return read(cursor);
    readWord(cursor, "null");
    return undefined;
  };
}

import type { JsonCursor } from "./cursor.ts";
import { skipNumber, startsNumber } from "./number.ts";
import { skipString } from "./string.ts";
import { readColon, readWord } from "./tokens.ts";

const CLOSERS = new Map([
  ["[", "]"],
  ["{", "}"],
]);
const WORDS = new Map([
  ["n", "null"],
  ["t", "true"],
  ["f", "false"],
]);

/** Passes over any value. Not recursive: how deep a model nests must not matter. */
export function skipValue(cursor: JsonCursor): void {
  const closers: string[] = [];
  do {
    const opened = skipScalarOrOpen(cursor);
    if (opened !== undefined) closers.push(opened);
    closeAll(cursor, closers, opened !== undefined);
    if (closers.at(-1) === "}") skipKey(cursor);
  } while (closers.length > 0);
}

/** Returns what will close a list or object that was opened. */
function skipScalarOrOpen(cursor: JsonCursor): string | undefined {
  const char = cursor.token();
  const word = WORDS.get(char);
  if (word !== undefined) readWord(cursor, word);
  else if (startsNumber(char)) skipNumber(cursor);
  else if (char !== '"' && !CLOSERS.has(char)) {
    cursor.failAhead(char === "" ? "EOF while parsing a value" : "expected value");
  } else {
    cursor.next();
    if (char === '"') skipString(cursor);
  }
  return CLOSERS.get(char);
}

/** Goes on to the next value: past the brackets that close here, and the comma. */
function closeAll(cursor: JsonCursor, closers: string[], justOpened: boolean): void {
  let mayBeFirst = justOpened;
  for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
    const char = cursor.token();
    if (char === "")
      cursor.failAhead(`EOF while parsing ${closer === "]" ? "a list" : "an object"}`);
    if (char === closer) closers.pop();
    else if (mayBeFirst) return;
    else if (char !== ",") cursor.failAhead(`expected \`,\` or \`${closer}\``);
    cursor.next();
    if (char === ",") return;
    mayBeFirst = false;
  }
}

function skipKey(cursor: JsonCursor): void {
  const quote = cursor.token();
  if (quote === "") cursor.failAhead("EOF while parsing an object");
  if (quote !== '"') cursor.failAhead("key must be a string");
  cursor.next();
  skipString(cursor);
  readColon(cursor);
}

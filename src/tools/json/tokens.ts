import type { JsonCursor } from "./cursor.ts";

/** Takes `true`, `false` or `null`, of which the first letter was seen. */
export function readWord(cursor: JsonCursor, word: string): void {
  for (const expected of word) {
    const char = cursor.next();
    if (char !== expected) {
      cursor.fail(char === "" ? "EOF while parsing a value" : "expected ident");
    }
  }
}

/** Takes the colon behind a key. */
export function readColon(cursor: JsonCursor): void {
  const colon = cursor.token();
  if (colon === "") cursor.failAhead("EOF while parsing an object");
  if (colon !== ":") cursor.failAhead("expected `:`");
  cursor.next();
}

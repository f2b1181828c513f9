import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from "../limits.ts";
import { clip } from "../quote.ts";
import { Cursor } from "./cursor.ts";
import { readString } from "./strings.ts";
import { type Json, JsonNumber } from "./value.ts";

const WORDS: ReadonlyMap<string, readonly [string, Json]> = new Map([
  ["t", ["true", true]],
  ["f", ["false", false]],
  ["n", ["null", null]],
]);

/**
 * Reads one JSON text, more strictly than `JSON.parse`: no key twice in an object, bounded depth,
 * bounded number of values, no lone surrogates.
 * @throws JsonSyntaxError worded as the reference's reader words it
 */
export function readJson(text: string): Json {
  return new Reader(text).read();
}

class Reader {
  readonly #cursor: Cursor;
  #depth = 0;
  #values = 0;

  constructor(text: string) {
    this.#cursor = new Cursor(text);
  }

  read(): Json {
    const value = this.#value();
    if (this.#cursor.peek() !== "") throw this.#cursor.failHere("trailing characters");
    return value;
  }

  #value(): Json {
    const cursor = this.#cursor;
    const first = cursor.peek();
    if (first === "") throw cursor.failHere("EOF while parsing a value");
    this.#values += 1;
    if (this.#values <= MAX_JSON_VALUES) return this.#valueOf(first);
    const limit = `JSON-RPC message exceeds the limit of ${MAX_JSON_VALUES} JSON values`;
    throw cursor.failAt(limit, cursor.at);
  }

  #valueOf(first: string): Json {
    if (first === '"') return readString(this.#cursor);
    if (first === "{") return this.#nested(() => this.#object());
    if (first === "[") return this.#nested(() => this.#array());
    if (first === "-" || (first >= "0" && first <= "9")) return this.#number();
    return this.#word(first);
  }

  #nested<T extends Json>(read: () => T): T {
    if (this.#depth === MAX_JSON_DEPTH) throw this.#cursor.failHere("recursion limit exceeded");
    this.#depth += 1;
    this.#cursor.at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): Map<string, Json> {
    const cursor = this.#cursor;
    const members = new Map<string, Json>();
    if (this.#closes("}", "an object")) return members;
    do {
      const key = this.#key();
      if (members.has(key)) {
        throw cursor.failAt(`duplicate JSON object key \`${clip(key)}\``, cursor.at);
      }
      this.#colon();
      members.set(key, this.#value());
    } while (this.#continues("}", "an object"));
    return members;
  }

  #array(): Json[] {
    const items: Json[] = [];
    if (this.#closes("]", "a list")) return items;
    do items.push(this.#value());
    while (this.#continues("]", "a list"));
    return items;
  }

  #key(): string {
    if (this.#cursor.peek() !== '"') throw this.#cursor.failHere("key must be a string");
    return readString(this.#cursor);
  }

  #colon(): void {
    const next = this.#cursor.peek();
    if (next === "") throw this.#cursor.failHere("EOF while parsing an object");
    if (next !== ":") throw this.#cursor.failHere("expected `:`");
    this.#cursor.at += 1;
  }

  #closes(bracket: string, what: string): boolean {
    const next = this.#cursor.peek();
    if (next === "") throw this.#cursor.failHere(`EOF while parsing ${what}`);
    if (next !== bracket) return false;
    this.#cursor.at += 1;
    return true;
  }

  /** After a member: false at the end, true past a comma that another member follows. */
  #continues(bracket: string, what: string): boolean {
    if (this.#closes(bracket, what)) return false;
    if (this.#cursor.here() !== ",")
      throw this.#cursor.failHere(`expected \`,\` or \`${bracket}\``);
    this.#cursor.at += 1;
    const next = this.#cursor.peek();
    if (next === bracket) throw this.#cursor.failHere("trailing comma");
    if (next === "") throw this.#cursor.failHere("EOF while parsing a value");
    return true;
  }

  #number(): JsonNumber {
    const cursor = this.#cursor;
    const start = cursor.at;
    if (cursor.here() === "-") cursor.at += 1;
    if (cursor.here() === "0") this.#lonelyZero();
    else this.#digits();
    if (cursor.here() === ".") this.#skipThenDigits();
    if (cursor.here() === "e" || cursor.here() === "E") this.#exponent();
    return new JsonNumber(cursor.text.slice(start, cursor.at));
  }

  #lonelyZero(): void {
    this.#cursor.at += 1;
    const next = this.#cursor.here();
    if (next >= "0" && next <= "9") throw this.#cursor.failHere("invalid number");
  }

  #exponent(): void {
    const sign = this.#cursor.text.charAt(this.#cursor.at + 1);
    if (sign === "+" || sign === "-") this.#cursor.at += 1;
    this.#skipThenDigits();
  }

  #skipThenDigits(): void {
    this.#cursor.at += 1;
    this.#digits();
  }

  #digits(): void {
    const start = this.#cursor.at;
    this.#cursor.skipDigits();
    if (this.#cursor.at === start) throw this.#cursor.failHere("invalid number");
  }

  #word(first: string): Json {
    const cursor = this.#cursor;
    const known = WORDS.get(first);
    if (known === undefined) throw cursor.failHere("expected value");
    const [word, value] = known;
    for (const letter of word) {
      if (cursor.here() === "") throw cursor.failHere("EOF while parsing a value");
      if (cursor.here() !== letter) throw cursor.failHere("expected ident");
      cursor.at += 1;
    }
    return value;
  }
}

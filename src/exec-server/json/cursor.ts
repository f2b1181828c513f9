import { JsonSyntaxError } from "./syntax-error.ts";

const SPACE = /[ \t\n\r]*/y;
const DIGITS = /[0-9]*/y;

/** A place in a text: what the parts of the reader share. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character that is not white space, not consumed; empty at the end. */
  peek(): string {
    this.#skip(SPACE);
    return this.text.charAt(this.at);
  }

  /** The character right here, white space included; empty at the end. */
  here(): string {
    return this.text.charAt(this.at);
  }

  skipDigits(): void {
    this.#skip(DIGITS);
  }

  /** The fault lies at the next character, which is named by counting it as read. */
  failHere(reason: string): JsonSyntaxError {
    return this.failAt(reason, Math.min(this.at + 1, this.text.length));
  }

  failAt(reason: string, end: number): JsonSyntaxError {
    return new JsonSyntaxError(reason, this.text, end);
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    pattern.test(this.text);
    this.at = pattern.lastIndex;
  }
}

import { JsonSyntaxError } from "./syntax-error.ts";

/** A place in a text: what the parts of the reader share. */
export class Cursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character that is not white space, not consumed; empty at the end. */
  peek(): string {
    while (isSpace(this.text.charCodeAt(this.at))) this.at += 1;
    return this.text.charAt(this.at);
  }

  /** The character right here, white space included; empty at the end. */
  here(): string {
    return this.text.charAt(this.at);
  }

  skipDigits(): void {
    while (isDigit(this.text.charCodeAt(this.at))) this.at += 1;
  }

  /** The fault lies at the next character, which is named by counting it as read. */
  failHere(reason: string): JsonSyntaxError {
    return this.failAt(reason, Math.min(this.at + 1, this.text.length));
  }

  failAt(reason: string, end: number): JsonSyntaxError {
    return new JsonSyntaxError(reason, this.text, end);
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

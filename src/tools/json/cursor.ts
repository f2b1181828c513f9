/** JSON that could not be read; the message ends with the place where reading stopped. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

/** A place in JSON text. Columns count bytes of UTF-8 since the last newline, lines count from 1. */
export class JsonCursor {
  readonly #bytes: Buffer;
  #index = 0;

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
  }

  /** The byte ahead as a Latin-1 character, or the empty string at the end. */
  peek(): string {
    const byte = this.#bytes[this.#index];
    return byte === undefined ? "" : String.fromCharCode(byte);
  }

  /** Takes the byte ahead; at the end it stays there. */
  next(): string {
    const char = this.peek();
    this.#index += char.length;
    return char;
  }

  /** Skips white space, then peeks. */
  token(): string {
    this.takeWhile(isSpace);
    return this.peek();
  }

  /** Takes as many bytes as are left, up to `count`, as Latin-1. */
  take(count: number): string {
    const taken = this.#bytes.toString("latin1", this.#index, this.#index + count);
    this.#index += taken.length;
    return taken;
  }

  /** Takes the longest run of bytes that pass, as text. */
  takeWhile(passes: (byte: number) => boolean): string {
    const start = this.#index;
    for (let byte = this.#bytes[start]; byte !== undefined && passes(byte); ) {
      byte = this.#bytes[++this.#index];
    }
    return this.#bytes.toString("utf8", start, this.#index);
  }

  /** Runs `pass` and gives back the text that it passed over. */
  over(pass: () => void): string {
    const start = this.#index;
    pass();
    return this.#bytes.toString("utf8", start, this.#index);
  }

  /** Fails at what was taken last. */
  fail(reason: string): never {
    this.#failAt(this.#index, reason);
  }

  /** Fails at the byte ahead. */
  failAhead(reason: string): never {
    this.#failAt(Math.min(this.#index + 1, this.#bytes.length), reason);
  }

  #failAt(index: number, reason: string): never {
    const lines = this.#bytes.toString("latin1", 0, index).split("\n");
    const column = lines.at(-1)?.length ?? 0;
    throw new JsonError(`${reason} at line ${lines.length} column ${column}`);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

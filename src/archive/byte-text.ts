/**
 * A file name as the kernel has it: one character per byte. Names need not be UTF-8, and two that
 * are not must not become one on the way.
 */
export type ByteText = string;

const SHOWN_CHARACTERS = 1_024;

export function byteText(text: string): ByteText {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function bytesOf(text: ByteText): Buffer {
  return Buffer.from(text, "latin1");
}

/** For people and JSON: bytes that are not UTF-8 become U+FFFD, and length has an end. */
export function shown(text: ByteText): string {
  const whole = bytesOf(text).toString("utf8");
  return whole.length > SHOWN_CHARACTERS ? `${whole.slice(0, SHOWN_CHARACTERS)}…` : whole;
}

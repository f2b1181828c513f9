import { isUtf8 } from "node:buffer";

/** What is wrong with bytes that should be UTF-8, in the words of Rust; null when nothing is. */
export function utf8Fault(bytes: Uint8Array): string | null {
  if (isUtf8(bytes)) return null;
  const at = firstFault(bytes);
  const length = faultLength(bytes, at);
  return length === null
    ? `incomplete utf-8 byte sequence from index ${at}`
    : `invalid utf-8 sequence of ${length} bytes from index ${at}`;
}

function firstFault(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] ?? 0);
    if (validBytes(bytes, at) < length || length === 0) return at;
    at += length;
  }
  return at;
}

/** Bytes from a faulty one on that belong together; null when only the end of the text is short. */
function faultLength(bytes: Uint8Array, at: number): number | null {
  const valid = validBytes(bytes, at);
  return valid > 0 && at + valid === bytes.length ? null : Math.max(valid, 1);
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** How many bytes from a position on are the start of a well-formed sequence. */
function validBytes(bytes: Uint8Array, at: number): number {
  const length = sequenceLength(bytes[at] ?? 0);
  let valid = Math.min(length, 1);
  while (valid > 0 && valid < length && continues(bytes, at, valid)) valid++;
  return valid;
}

function continues(bytes: Uint8Array, at: number, offset: number): boolean {
  const byte = bytes[at + offset] ?? 0;
  const [least, most] = offset === 1 ? secondRange(bytes[at] ?? 0) : [0x80, 0xbf];
  return byte >= least && byte <= most;
}

/** Second bytes that neither overlong forms, surrogates, nor code points past the last have. */
function secondRange(lead: number): [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}

import { DecodeError } from "./decode-error.ts";

const NOT_A_SYMBOL = /[^A-Za-z0-9+/]/;
/** Symbols whose last four, or last two, bits are zero. */
const ENDS_AFTER_ONE_BYTE = "AQgw";
const ENDS_AFTER_TWO_BYTES = "AEIMQUYcgkosw048";

/**
 * Decodes base64 in the standard alphabet, with padding and nothing but.
 * @throws DecodeError that names the first fault
 */
export function decodeBase64(encoded: string): Buffer {
  const symbols = NOT_A_SYMBOL.exec(encoded)?.index ?? encoded.length;
  const fault = lengthFault(encoded, symbols) ?? lastSymbolFault(encoded, symbols);
  if (fault !== null) throw new DecodeError(fault);
  return Buffer.from(encoded, "base64");
}

export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function lengthFault(encoded: string, symbols: number): string | null {
  const padding = encoded.slice(symbols, symbols + 3);
  const group = symbols % 4;
  if (padding !== "" && (group < 2 || !/^={1,2}$/.test(padding) || padding.length > 4 - group)) {
    const [symbol = 0] = Buffer.from(encoded.slice(symbols, symbols + 2));
    return `Invalid symbol ${symbol}, offset ${symbols}.`;
  }
  if (group === 1) return `Invalid input length: ${encoded.length}`;
  return group === 0 || padding.length === 4 - group ? null : "Invalid padding";
}

/** Bits that no byte would use must be zero, so that one content has one spelling. */
function lastSymbolFault(encoded: string, symbols: number): string | null {
  const group = symbols % 4;
  const allowed = group === 2 ? ENDS_AFTER_ONE_BYTE : ENDS_AFTER_TWO_BYTES;
  if (group === 0 || allowed.includes(encoded.charAt(symbols - 1))) return null;
  return `Invalid last symbol ${encoded.charCodeAt(symbols - 1)}, offset ${symbols - 1}.`;
}

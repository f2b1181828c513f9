const SHORT_ESCAPES = new Map([
  ["\0", "\\0"],
  ["\t", "\\t"],
  ["\r", "\\r"],
  ["\n", "\\n"],
]);

/** Double-quoted, with everything escaped that does not print. */
export function quote(value: string): string {
  const escaped = value
    .replace(/["\\]/g, "\\$&")
    .replace(/[\p{C}\p{Z}]/gu, (char) => SHORT_ESCAPES.get(char) ?? escapeUnprintable(char));
  return `"${escaped}"`;
}

function escapeUnprintable(char: string): string {
  return char === " " ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`;
}

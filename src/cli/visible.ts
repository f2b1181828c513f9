/**
 * Text from elsewhere, made safe for a terminal: control characters other than newline and tab are
 * shown as `\xNN` instead of being obeyed.
 */
export function visible(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, (character) => (character === "\n" ? "\\n" : "\\t"));
}

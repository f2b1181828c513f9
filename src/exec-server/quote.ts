/** What a peer sent may be quoted back in an error, but not at any length. */
const QUOTED_CHARS = 512;

export function clip(text: string, chars = QUOTED_CHARS): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}…`;
}

/** What a peer sent may be quoted back in an error, but not at any length. */
const QUOTED_CHARS = 512;

export function clip(text: string): string {
  return text.length <= QUOTED_CHARS ? text : `${text.slice(0, QUOTED_CHARS)}…`;
}

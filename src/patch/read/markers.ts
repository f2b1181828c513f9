import { trim } from "./white-space.ts";

export const BEGIN = "*** Begin Patch";
export const END = "*** End Patch";
export const END_OF_FILE = "*** End of File";

const HEADERS = [
  ["*** Add File: ", "add"],
  ["*** Delete File: ", "delete"],
  ["*** Update File: ", "update"],
] as const;
const MOVE = "*** Move to: ";
const ENVIRONMENT = "*** Environment ID:";

export type Header = { readonly kind: "add" | "delete" | "update"; readonly path: string };

/** The header that a line is, its end already trimmed; null for any other line. */
export function header(marker: string): Header | null {
  const found = HEADERS.find(([prefix]) => marker.startsWith(prefix));
  return found ? { kind: found[1], path: marker.slice(found[0].length) } : null;
}

/** The destination that a line names; null when it is no move line. */
export function destination(marker: string): string | null {
  return marker.startsWith(MOVE) ? marker.slice(MOVE.length) : null;
}

/** The id on an environment line, perhaps empty; null for any other line. */
export function environment(marker: string): string | null {
  return marker.startsWith(ENVIRONMENT) ? trim(marker.slice(ENVIRONMENT.length)) : null;
}

/** What a line that opens a chunk has after its `@@`: null for nothing; undefined: no such line. */
export function chunkHeader(marker: string): string | null | undefined {
  if (marker === "@@") return null;
  return marker.startsWith("@@ ") ? marker.slice(3) : undefined;
}

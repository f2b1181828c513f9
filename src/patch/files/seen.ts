import { createHash } from "node:crypto";
import type { PatchContent } from "../../contract/patch.ts";
import { MAX_DIFF_BYTES } from "../diff/delta.ts";
import type { Content, FileStat, PatchFiles } from "./port.ts";

/** A path as it was at one moment. */
export type Seen = {
  /** Null: nothing was there. */
  readonly stat: FileStat | null;
  /** Null: nothing, or nothing that can be read. */
  readonly content: PatchContent | null;
  /** The content itself, unless it is too large for a diff. */
  readonly bytes: Buffer | null;
};

export const NOTHING: Seen = { stat: null, content: null, bytes: null };

/** What is at a path. Never rejects: what cannot be read is there, without content. */
export async function lookAt(files: PatchFiles, path: string): Promise<Seen> {
  const stat = await files.stat(path).catch(() => null);
  if (stat?.kind !== "file") return { ...NOTHING, stat };
  try {
    if (stat.bytes > MAX_DIFF_BYTES) {
      const content = { sha256: await files.digest(path), bytes: stat.bytes };
      return { stat, content, bytes: null };
    }
    return seenBytes(stat, await files.read(path));
  } catch {
    return { ...NOTHING, stat };
  }
}

export function seenBytes(stat: FileStat, read: Uint8Array): Seen {
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
  return { stat, content: contentOf(() => [bytes]), bytes };
}

export function contentOf(parts: Content): PatchContent {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const part of parts()) {
    hash.update(part);
    bytes += part.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** Whether nothing happened between two moments, as far as can be seen. */
export function unchanged(before: Seen, after: Seen): boolean {
  if (before.content && after.content) return before.content.sha256 === after.content.sha256;
  return before.stat?.modified === after.stat?.modified && before.stat?.bytes === after.stat?.bytes;
}

import { mkdir } from "node:fs/promises";
import type { ArchiveResult } from "../contract/archive.ts";
import { OutworkError } from "../errors.ts";
import { byteText } from "./byte-text.ts";
import { Folder } from "./folder.ts";
import { explained, refused } from "./refusal.ts";
import type { StandInNames } from "./stand-in.ts";
import { TarReader } from "./tar-reader.ts";
import { Unpacker } from "./unpacker.ts";

/** Entries that one archive may have. */
export const MAX_ENTRIES = 1_000_000;

export interface ExtractOptions {
  readonly maxEntries?: number;
  /** Names of stand-ins, which are taken over as if they were not there. */
  readonly standIns?: StandInNames;
}

/**
 * Unpacks a tar stream into a folder, which is created when missing and whose own attributes stay as
 * they are. Files belong to whoever runs this; permissions and times are the archive's. A later entry
 * replaces an earlier one, and what stands on the disk, unless either is a folder.
 *
 * An entry is in place whole or not at all. After a failure the entries before it stay: the problem
 * tells their number, and how many bytes had been read.
 * @throws `archive-refused` with `entry` and `rule`
 * @throws `policy-denied`, `too-large` or `path-not-found` when the file system says so
 */
export async function extractTar(
  source: AsyncIterable<Buffer>,
  targetPath: string,
  { maxEntries = MAX_ENTRIES, standIns = new Set() }: ExtractOptions = {},
): Promise<ArchiveResult> {
  const reader = new TarReader();
  let entries = 0;
  try {
    await using folder = await openTarget(targetPath);
    await using unpacker = new Unpacker(folder, standIns);
    for await (const entry of reader.read(source)) {
      if (entries === maxEntries) throw refused(entry.name, "too-many-entries");
      await unpacker.add(entry);
      entries += 1;
    }
    await unpacker.finish();
    return { entries, bytes: reader.bytes, sha256: reader.sha256 };
  } catch (error) {
    throw withProgress(error, { entries, bytes: reader.bytes });
  }
}

async function openTarget(path: string): Promise<Folder> {
  try {
    await mkdir(path, { recursive: true });
    return await Folder.open(path);
  } catch (error) {
    throw explained(error, byteText(path));
  }
}

function withProgress(error: unknown, progress: Omit<ArchiveResult, "sha256">): unknown {
  if (!(error instanceof OutworkError)) return error;
  const { code, message, facts, cause } = error;
  return new OutworkError(code, message, { facts: { ...facts, ...progress }, cause });
}

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Pack, pack as startPack } from "tar-stream";

/** One entry of a tar stream that we write. A path that ends in `/` is a folder. */
export interface TarEntry {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly content?: { readonly bytes: Buffer } | { readonly file: string };
}

/** A tar stream of these entries, in order. Files are read while it is. */
export function tarOf(entries: readonly TarEntry[]): Readable {
  const pack = startPack();
  feed(pack, entries).catch((error: Error) => pack.destroy(error));
  return Readable.from(pack);
}

async function feed(pack: Pack, entries: readonly TarEntry[]): Promise<void> {
  for (const entry of entries) await add(pack, entry);
  pack.finalize();
}

async function add(pack: Pack, { path, mode, uid, gid, content }: TarEntry): Promise<void> {
  const header = { name: path, mode, uid, gid, mtime: new Date() };
  if (content === undefined) pack.entry({ ...header, type: "directory" });
  else if ("bytes" in content) pack.entry(header, content.bytes);
  else {
    const { size } = await stat(content.file);
    await pipeline(createReadStream(content.file), pack.entry({ ...header, size }));
  }
}

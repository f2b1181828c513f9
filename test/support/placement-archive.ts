import { Readable } from "node:stream";
import { extract, type Header, pack } from "tar-stream";

/** One entry of a tar, as tests write and compare it. */
export interface Entry {
  readonly name: string;
  readonly type?: "file" | "directory" | "symlink" | "link" | "fifo";
  readonly mode?: number;
  readonly linkname?: string;
  readonly content?: string;
}

/** One to be written; its content need not be text. */
export type NewEntry = Omit<Entry, "content"> & { readonly content?: string | Buffer };

/** A tar stream of these entries, in order. */
export function packed(entries: readonly NewEntry[]): AsyncIterable<Uint8Array> {
  const tar = pack();
  for (const { content, ...header } of entries) {
    tar.entry({ ...(header as Header), uid: 4321, gid: 4321 }, content ?? "");
  }
  tar.finalize();
  return Readable.from(tar);
}

/** The entries of a tar stream, sorted by name. */
export async function unpacked(source: AsyncIterable<Uint8Array>): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const reader = Readable.from(source).pipe(extract());
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const { name, type, mode, linkname } = entry.header as Header & { type: "file" };
    const content = Buffer.concat(chunks).toString("latin1");
    entries.push({
      name: name.replace(/^\.\//, ""),
      type,
      ...(mode === undefined ? {} : { mode }),
      ...(linkname ? { linkname } : {}),
      ...(content === "" ? {} : { content }),
    });
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

import { posix } from "node:path";
import { systemCode } from "../../errors.ts";
import { type Located, locate, statOrNull, systemError } from "./locate.ts";
import type { Content, FileStat, PatchFiles } from "./port.ts";
import { contentOf } from "./seen.ts";

/** What a path is to become. */
export type Staged =
  | {
      readonly kind: "file";
      readonly content: Content;
      readonly stat: FileStat;
      /** Null: as the system makes new files. */
      readonly mode: number | null;
    }
  | { readonly kind: "folder" | "gone" };

/** What a new file's mode is taken for until it is made. */
const NEW_MODE = 0o644;

/**
 * Files as they would be after changes that are only remembered: reads see the changes, the files
 * below stay as they are. Everything is known by paths without links on the way.
 */
export class StagedFiles implements PatchFiles {
  readonly followsLinks: boolean;
  /** In the order of first change. */
  readonly staged = new Map<string, Staged>();
  /** What was below when a path was first read or changed. */
  readonly found = new Map<string, FileStat | null>();
  readonly #below: PatchFiles;
  /** Folders that were located, by path; forgotten when names change. */
  readonly #folders = new Map<string, string>();

  constructor(below: PatchFiles) {
    this.followsLinks = below.followsLinks;
    this.#below = below;
  }

  /** Where a path leads, as things are staged. */
  async locate(path: string, leaf: "follow" | "keep"): Promise<Located> {
    const folder = this.#folders.get(posix.dirname(path));
    if (folder === undefined) return this.#locateAll(path, leaf);
    const at = posix.join(folder, posix.basename(path));
    const stat = await statOrNull({ lstat: (name) => this.#statOf(name) }, at);
    const onward = stat?.kind === "link" && leaf === "follow";
    return onward ? this.#locateAll(path, leaf) : { path: at, stat };
  }

  async #locateAll(path: string, leaf: "follow" | "keep"): Promise<Located> {
    const readlink = (link: string) => this.#below.readlink(link);
    const lstat = (name: string) => this.#statOf(name);
    const names = { followsLinks: this.followsLinks, lstat, readlink };
    const folder = await locate(names, posix.dirname(path), "follow");
    if (folder.stat?.kind === "folder") this.#folders.set(posix.dirname(path), folder.path);
    return locate(names, path, leaf);
  }

  #stage(path: string, entry: Staged): void {
    if (entry.kind !== "file") this.#folders.clear();
    this.staged.set(path, entry);
  }

  async stat(path: string): Promise<FileStat> {
    return (await this.#expect(path, "follow")).stat;
  }

  async lstat(path: string): Promise<FileStat> {
    return (await this.#expect(path, "keep")).stat;
  }

  async readlink(path: string): Promise<string> {
    return this.#below.readlink((await this.#expect(path, "keep")).path);
  }

  async read(path: string): Promise<Uint8Array> {
    const file = await this.#expect(path, "follow");
    const staged = this.staged.get(file.path);
    if (staged?.kind === "file") return Buffer.concat([...staged.content()]);
    this.#find(file);
    return this.#below.read(file.path);
  }

  async digest(path: string): Promise<string> {
    const file = await this.#expect(path, "follow");
    const staged = this.staged.get(file.path);
    if (staged?.kind === "file") return contentOf(staged.content).sha256;
    this.#find(file);
    return this.#below.digest(file.path);
  }

  async write(path: string, content: Content, mode?: number): Promise<void> {
    const target = await this.locate(path, "follow");
    if (target.stat?.kind === "folder") throw systemError("EISDIR", path);
    if (target.stat?.kind === "other") throw systemError("EINVAL", path);
    await this.#checkPlace(target);
    this.#find(target);
    const kept = mode ?? (target.stat ? target.stat.mode : null);
    const stat = statOfNew(target, byteLength(content), kept);
    this.#stage(target.path, { kind: "file", content, stat, mode: kept });
  }

  async makeFolders(path: string): Promise<void> {
    const place = await this.#placeOf(path);
    if (place.stat?.kind === "folder") return;
    if (place.stat) throw systemError("ENOTDIR", path);
    await this.#checkPlace(place);
    this.#stage(place.path, { kind: "folder" });
  }

  async remove(path: string): Promise<void> {
    const entry = await this.#expect(path, "keep");
    if (entry.stat.kind === "folder") throw systemError("EISDIR", path);
    await this.#checkFolder(posix.dirname(entry.path));
    this.#find(entry);
    this.#stage(entry.path, { kind: "gone" });
  }

  async checkWritable(path: string): Promise<void> {
    await this.#checkPlace(await this.locate(path, "follow"));
  }

  /** Where a folder is or is to be, those above it being made if they are missing. */
  async #placeOf(path: string): Promise<Located> {
    try {
      const place = await this.locate(path, "keep");
      return place.stat?.kind === "link" ? await this.#expect(path, "follow") : place;
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || (await statOrNull(this, path))) throw error;
      await this.makeFolders(posix.dirname(path));
      return this.locate(path, "keep");
    }
  }

  async #statOf(path: string): Promise<FileStat> {
    const staged = this.staged.get(path);
    if (staged?.kind === "file") return staged.stat;
    if (staged?.kind === "folder") return folderStat(path);
    const inNewFolder = this.staged.get(posix.dirname(path))?.kind === "folder";
    if (staged?.kind === "gone" || inNewFolder) throw systemError("ENOENT", path);
    return this.#below.lstat(path);
  }

  async #expect(path: string, leaf: "follow" | "keep"): Promise<{ path: string; stat: FileStat }> {
    const located = await this.locate(path, leaf);
    if (!located.stat) throw systemError("ENOENT", path);
    return { path: located.path, stat: located.stat };
  }

  #find({ path, stat }: Located): void {
    if (!this.staged.has(path) && !this.found.has(path)) this.found.set(path, stat);
  }

  /** Rejects when a file could not be written, or made, where it is to be. */
  async #checkPlace({ path, stat }: Located): Promise<void> {
    if (this.staged.get(path)?.kind === "file") return;
    if (stat) await this.#below.checkWritable(path);
    else await this.#checkFolder(posix.dirname(path));
  }

  async #checkFolder(path: string): Promise<void> {
    if (this.staged.get(path)?.kind !== "folder") await this.#below.checkWritable(path);
  }
}

function statOfNew(target: Located, bytes: number, mode: number | null): FileStat {
  const old = target.stat ?? {
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    links: 1,
    identity: `staged:${target.path}`,
  };
  const { uid, gid, links, identity } = old;
  const kind = "file";
  return { kind, bytes, mode: mode ?? NEW_MODE, uid, gid, links, identity, modified: "staged" };
}

function byteLength(content: Content): number {
  let bytes = 0;
  for (const part of content()) bytes += part.length;
  return bytes;
}

function folderStat(path: string): FileStat {
  const identity = `staged:${path}`;
  return {
    kind: "folder",
    bytes: 0,
    mode: 0o755,
    uid: 0,
    gid: 0,
    links: 2,
    identity,
    modified: "",
  };
}

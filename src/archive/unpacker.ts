import { randomBytes } from "node:crypto";
import { systemCode } from "../errors.ts";
import type { ByteText } from "./byte-text.ts";
import { checkSymlink, entryPath } from "./entry-path.ts";
import type { Folder } from "./folder.ts";
import { explained, refused } from "./refusal.ts";
import type { StandInNames } from "./stand-in.ts";
import { Syncs } from "./syncs.ts";
import type { TarEntry } from "./tar-reader.ts";
import { Trail } from "./trail.ts";

/** Permissions and the sticky bit. An archive gives nobody another's rights. */
const KEPT_MODE = 0o1777;

type Attributes = { readonly mode: number; readonly mtimeSeconds: number };

/** Puts entries into place below a folder, each whole or not at all. */
export class Unpacker implements AsyncDisposable {
  readonly #root: Folder;
  readonly #trail: Trail;
  /** Where hard links come from; apart, so that it does not undo the way to where they go. */
  readonly #originals: Trail;
  readonly #syncs = new Syncs();
  /** Folders that were made here. Those that were there before keep what they have. */
  readonly #made = new Map<string, Attributes | null>();

  /** Borrows `root`. */
  constructor(root: Folder, standIns: StandInNames) {
    this.#root = root;
    this.#trail = new Trail(root, standIns);
    this.#originals = new Trail(root, standIns);
  }

  /** @throws `archive-refused` with the entry and the rule it breaks */
  async add(entry: TarEntry): Promise<void> {
    try {
      await this.#add(entry, entryPath(entry.name));
    } catch (error) {
      throw explained(error, entry.name);
    }
  }

  async #add(entry: TarEntry, path: ByteText[]): Promise<void> {
    switch (entry.type) {
      case "file":
      case "contiguous-file":
        return this.#addFile(entry, path);
      case "directory":
        return this.#addFolder(entry, path);
      case "symlink":
        return this.#addSymlink(entry, path);
      case "link":
        return this.#addHardLink(entry, path);
      default:
        throw refused(entry.name, "unsupported-type");
    }
  }

  /** Attributes of the folders, which unpacking into them would have changed, and the disk. */
  async finish(): Promise<void> {
    for (const [path, attributes] of [...this.#made].reverse()) {
      if (attributes !== null) await this.#setAttributes(path, attributes);
    }
    await this.#syncs.settled();
    await this.#root.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#syncs[Symbol.asyncDispose]();
    await this.#originals[Symbol.asyncDispose]();
    await this.#trail[Symbol.asyncDispose]();
  }

  async #addFile(entry: TarEntry, path: ByteText[]): Promise<void> {
    await this.#putInPlace(entry, path, async (folder, part) => {
      const file = await folder.createFile(part);
      try {
        for await (const chunk of entry.body) await file.writeFile(chunk);
        await file.chmod(entry.mode & KEPT_MODE);
        await file.utimes(entry.mtimeSeconds, entry.mtimeSeconds);
      } catch (error) {
        await file.close();
        throw error;
      }
      await this.#syncs.add(file, entry.name);
    });
  }

  async #addSymlink(entry: TarEntry, path: ByteText[]): Promise<void> {
    checkSymlink(entry.name, path, entry.linkname);
    await this.#putInPlace(entry, path, (folder, part) =>
      folder.createSymlink(part, entry.linkname, entry.mtimeSeconds),
    );
  }

  async #addHardLink(entry: TarEntry, path: ByteText[]): Promise<void> {
    const missing = () => refused(entry.name, "link-target-missing");
    const original = hardLinkTarget(entry);
    const name = original.at(-1) ?? "";
    const way = original.slice(0, -1);
    const from = await this.#originals.enter(way, entry.name, () => Promise.reject(missing()));
    if (!(await from.find(name))?.isFile()) throw missing();
    await this.#putInPlace(entry, path, (folder, part) => folder.createLink(part, from, name));
  }

  /** Makes the thing under a name of its own, then renames: no half-made thing has its real name. */
  async #putInPlace(
    entry: TarEntry,
    path: ByteText[],
    make: (folder: Folder, part: ByteText) => Promise<void>,
  ): Promise<void> {
    const name = path.at(-1);
    if (name === undefined) throw refused(entry.name, "empty-name");
    const folder = await this.#enter(path.slice(0, -1), entry.name);
    const part = `.outwork-${randomBytes(8).toString("hex")}.part`;
    try {
      await make(folder, part);
      await folder.rename(part, name);
    } catch (error) {
      throw systemCode(error) === "EISDIR" ? refused(entry.name, "type-conflict") : error;
    } finally {
      // After a success too: renaming a second name of a file onto the first one leaves both.
      await folder.remove(part);
    }
  }

  async #addFolder(entry: TarEntry, path: ByteText[]): Promise<void> {
    const key = path.join("/");
    await this.#enter(path, entry.name);
    if (this.#made.has(key)) {
      const { mode, mtimeSeconds } = entry;
      this.#made.set(key, { mode: mode & KEPT_MODE, mtimeSeconds });
    }
  }

  #enter(path: ByteText[], entry: ByteText): Promise<Folder> {
    return this.#trail.enter(path, entry, async (parent, way) => {
      await parent.makeFolder(way.at(-1) ?? "");
      this.#made.set(way.join("/"), null);
    });
  }

  async #setAttributes(path: string, { mode, mtimeSeconds }: Attributes): Promise<void> {
    try {
      const folder = await this.#trail.enter(path.split("/"), path, async () => {});
      await folder.setAttributes(mode, mtimeSeconds);
    } catch (error) {
      throw explained(error, path);
    }
  }
}

function hardLinkTarget(entry: TarEntry): ByteText[] {
  const { linkname } = entry;
  const upwards = linkname.split("/").includes("..");
  if (upwards || linkname.startsWith("/")) throw refused(entry.name, "link-leads-out");
  return entryPath(linkname);
}

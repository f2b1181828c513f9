import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname } from "node:path";
import { systemCode } from "../../errors.ts";
import { gathered } from "./gather.ts";
import { linkRefused, withoutLinks } from "./no-links.ts";
import { CREATE, notRegular, READ, statOf, WRITE } from "./node-stat.ts";
import type { Content, DurableFiles, FileStat } from "./port.ts";

type Use<T> = (name: string) => Promise<T>;
type UseFile<T> = (handle: fs.FileHandle, stat: Stats) => Promise<T>;

/** The file system of this process. */
export class NodeFiles implements DurableFiles {
  readonly followsLinks: boolean;

  /** @param links `refuse`: a link anywhere on a path is an error, ELOOP. Needs `/proc`. */
  constructor(links: "follow" | "refuse" = "follow") {
    this.followsLinks = links === "follow";
  }

  async stat(path: string): Promise<FileStat> {
    if (this.followsLinks) return statOf(await fs.stat(path, { bigint: true }));
    const stat = await this.lstat(path);
    if (stat.kind === "link") throw linkRefused();
    return stat;
  }

  lstat(path: string): Promise<FileStat> {
    return this.#at(path, async (name) => statOf(await fs.lstat(name, { bigint: true })));
  }

  readlink(path: string): Promise<string> {
    return this.#at(path, (name) => fs.readlink(name));
  }

  read(path: string): Promise<Uint8Array> {
    return this.#open(path, READ, readAll);
  }

  digest(path: string): Promise<string> {
    return this.#open(path, READ, async (handle) => {
      const hash = createHash("sha256");
      const stream = handle.createReadStream({ autoClose: false });
      for await (const chunk of stream) hash.update(chunk as Buffer);
      return hash.digest("hex");
    });
  }

  async write(path: string, content: Content, mode?: number): Promise<void> {
    await this.#open(path, WRITE, async (handle, old) => {
      if (mode !== undefined) await chmodIfAllowed(handle, mode);
      try {
        const written = await writeAll(handle, content);
        if (old.size > written) await handle.truncate(written);
      } catch (error) {
        if (mode !== undefined) await chmodIfAllowed(handle, old.mode & 0o7777);
        throw error;
      }
    });
  }

  async makeFolders(path: string): Promise<void> {
    try {
      await this.makeFolder(path);
    } catch (error) {
      const code = systemCode(error);
      if (code === "EEXIST" && (await this.stat(path)).kind === "folder") return;
      if (code !== "ENOENT" || path === "/") throw error;
      await this.makeFolders(dirname(path));
      await this.makeFolder(path);
    }
  }

  remove(path: string): Promise<void> {
    return this.#at(path, (name) => fs.unlink(name));
  }

  async checkWritable(path: string): Promise<void> {
    if (!this.followsLinks) await this.stat(path);
    await this.#at(path, (name) => fs.access(name, constants.W_OK));
  }

  async create(path: string, content: Content, mode: number | null): Promise<void> {
    await this.#open(path, CREATE, async (handle) => {
      if (mode !== null) await handle.chmod(mode);
      await writeAll(handle, content);
      await handle.sync();
    });
  }

  setOwner(path: string, uid: number, gid: number): Promise<void> {
    return this.#at(path, (name) => fs.lchown(name, uid, gid));
  }

  link(path: string, other: string): Promise<void> {
    return this.#at(path, (name) => this.#at(other, (otherName) => fs.link(name, otherName)));
  }

  rename(path: string, other: string): Promise<void> {
    return this.#at(path, (name) => this.#at(other, (otherName) => fs.rename(name, otherName)));
  }

  async makeFolder(path: string): Promise<void> {
    await this.#at(path, (name) => fs.mkdir(name));
  }

  removeFolder(path: string): Promise<void> {
    return this.#at(path, (name) => fs.rmdir(name));
  }

  list(path: string): Promise<string[]> {
    return this.#at(path, (name) => fs.readdir(name));
  }

  async syncFolder(path: string): Promise<void> {
    await this.#at(path, async (name) => {
      const handle = await fs.open(name, constants.O_RDONLY | constants.O_DIRECTORY);
      await handle.sync().finally(() => handle.close());
    });
  }

  #at<T>(path: string, use: Use<T>): Promise<T> {
    return this.followsLinks ? use(path) : withoutLinks(path, use);
  }

  /** Opens a regular file, and closes it again. */
  #open<T>(path: string, flags: number, use: UseFile<T>): Promise<T> {
    return this.#at(path, async (name) => {
      const handle = await fs.open(name, this.followsLinks ? flags : flags | constants.O_NOFOLLOW);
      try {
        const stat = await handle.stat();
        if (!stat.isFile()) throw notRegular(path);
        return await use(handle, stat);
      } finally {
        await handle.close();
      }
    });
  }
}

/** One call suffices for a file that does not grow meanwhile: a byte to spare shows its end. */
async function readAll(handle: fs.FileHandle, { size: bytes }: Stats): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(bytes + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length);
  if (bytesRead === bytes) return buffer.subarray(0, bytes);
  return Buffer.concat([buffer.subarray(0, bytesRead), await handle.readFile()]);
}

async function writeAll(handle: fs.FileHandle, content: Content): Promise<number> {
  let written = 0;
  for (const part of gathered(content())) {
    for (let at = 0; at < part.length; ) {
      at += (await handle.write(part, at, part.length - at)).bytesWritten;
    }
    written += part.length;
  }
  return written;
}

/** Only a file's owner may change its mode; others may still be allowed to write. */
async function chmodIfAllowed(handle: fs.FileHandle, mode: number): Promise<void> {
  try {
    await handle.chmod(mode);
  } catch (error) {
    if (systemCode(error) !== "EPERM") throw error;
  }
}

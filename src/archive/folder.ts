import { constants, type Stats } from "node:fs";
import {
  type FileHandle,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  opendir,
  readlink,
  rename,
  statfs,
  symlink,
  unlink,
} from "node:fs/promises";
import { OutworkError } from "../errors.ts";
import { type ByteText, bytesOf } from "./byte-text.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const LISTED_AT_ONCE = 256;

/**
 * An open folder. Its children are named relative to the descriptor, so that no link, and no rename
 * on the way to it, can lead a call elsewhere.
 * @see proc_pid_fd(5): `/proc/self/fd/N/NAME` resolves NAME in the open folder, as openat(2) does
 */
export class Folder implements AsyncDisposable {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The folder that the caller named, by whatever links. */
  static async open(path: string): Promise<Folder> {
    const folder = new Folder(await open(path, O_RDONLY | O_DIRECTORY));
    try {
      await folder.#mustBeReachable();
      return folder;
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #mustBeReachable(): Promise<void> {
    const own = await this.#handle.stat();
    const seen = await lstat(this.#at(".")).catch(() => undefined);
    if (seen?.ino === own.ino && seen.dev === own.dev) return;
    throw new OutworkError("enforcement-missing", "Archives need /proc/self/fd in the sandbox.", {
      facts: { mechanism: "/proc/self/fd" },
    });
  }

  #at(name: ByteText): Buffer {
    return bytesOf(`/proc/self/fd/${this.#handle.fd}/${name}`);
  }

  /** @throws `ENOTDIR` when the child is a link or no folder */
  async child(name: ByteText): Promise<Folder> {
    return new Folder(await open(this.#at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** What stands at this name, links not followed; undefined for nothing. */
  async find(name: ByteText): Promise<Stats | undefined> {
    return lstat(this.#at(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
  }

  /** Names in no order; a folder of any size takes little memory. */
  async *names(): AsyncGenerator<ByteText> {
    const options = { encoding: "latin1", bufferSize: LISTED_AT_ONCE } as const;
    for await (const { name } of await opendir(this.#at("."), options)) yield name;
  }

  /** Opens for reading. A fifo that took the file's place does not block it. */
  openFile(name: ByteText): Promise<FileHandle> {
    return open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }

  /** Creates for writing, for its owner alone. @throws `EEXIST` */
  createFile(name: ByteText): Promise<FileHandle> {
    return open(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  }

  /** Makes a folder, or makes one that its owner has locked his to fill. */
  async makeFolder(name: ByteText): Promise<void> {
    await mkdir(this.#at(name), 0o777).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      await using folder = await this.child(name);
      await folder.#handle.chmod(0o777 & ~process.umask());
    });
  }

  async createSymlink(name: ByteText, target: ByteText, mtimeSeconds: number): Promise<void> {
    await symlink(bytesOf(target), this.#at(name));
    await lutimes(this.#at(name), mtimeSeconds, mtimeSeconds);
  }

  /** Gives a file of another open folder a second name here. */
  async createLink(name: ByteText, from: Folder, original: ByteText): Promise<void> {
    await link(from.#at(original), this.#at(name));
  }

  async readSymlink(name: ByteText): Promise<ByteText> {
    return readlink(this.#at(name), "latin1");
  }

  async rename(from: ByteText, to: ByteText): Promise<void> {
    await rename(this.#at(from), this.#at(to));
  }

  /** Removes a file or link; nothing there is fine. */
  async remove(name: ByteText): Promise<void> {
    await unlink(this.#at(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }

  async setAttributes(mode: number, mtimeSeconds: number): Promise<void> {
    await this.#handle.chmod(mode);
    await this.#handle.utimes(mtimeSeconds, mtimeSeconds);
  }

  stat(): Promise<Stats> {
    return this.#handle.stat();
  }

  /** The file system's magic number. @see statfs(2) */
  async fileSystemType(): Promise<number> {
    return (await statfs(this.#at("."))).type;
  }

  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

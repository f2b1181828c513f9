/** What is known of a path. */
export type FileStat = {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly bytes: number;
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** How many names the file has. */
  readonly links: number;
  /** Equal for two paths exactly if they lead to one file. */
  readonly identity: string;
  /** Changes whenever the content does: time of modification, in nanoseconds. */
  readonly modified: string;
};

/** Parts of a file's content, in order. Asked for once for each time the content is needed. */
export type Content = () => Iterable<Uint8Array>;

/**
 * What applying a patch needs of a file system. Paths are absolute. Links are followed, unless
 * `followsLinks` is false; only `lstat`, `readlink` and `remove` look at a link
 * itself. Whatever fails rejects with a system error, whose `code` is `ENOENT` and the like.
 */
export interface PatchFiles {
  /** False: a link anywhere on a path is ELOOP. */
  readonly followsLinks: boolean;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  readlink(path: string): Promise<string>;
  /** The content of a regular file. Never waits for a pipe: rejects with EINVAL. */
  read(path: string): Promise<Uint8Array>;
  /** SHA-256 of a regular file in lower-case hex, without holding all of it. */
  digest(path: string): Promise<string>;
  /**
   * Creates a regular file, or overwrites it in place: inode, owner and links stay, and so does the
   * mode unless one is given and may be set. May leave part of the content when it fails.
   */
  write(path: string, content: Content, mode?: number): Promise<void>;
  /** Creates a folder and those above it that are missing. */
  makeFolders(path: string): Promise<void>;
  /** Removes a file, or a link itself. */
  remove(path: string): Promise<void>;
  /** Whether the policy and the modes let a file or folder be written. Rejects if not. */
  checkWritable(path: string): Promise<void>;
}

/** What a patch that is all or nothing needs besides. */
export interface DurableFiles extends PatchFiles {
  /**
   * Creates a file that must not exist, on stable storage when it resolves. A mode of null is what
   * the system gives to new files.
   */
  create(path: string, content: Content, mode: number | null): Promise<void>;
  /** Gives a file another owner. */
  setOwner(path: string, uid: number, gid: number): Promise<void>;
  /** Gives a file a second name, which must not exist. */
  link(path: string, other: string): Promise<void>;
  /** Renames in one step, replacing a file of the new name. */
  rename(path: string, other: string): Promise<void>;
  /** Creates one folder. */
  makeFolder(path: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** Names in a folder. */
  list(path: string): Promise<string[]>;
  /** Brings a folder's names to stable storage. */
  syncFolder(path: string): Promise<void>;
}

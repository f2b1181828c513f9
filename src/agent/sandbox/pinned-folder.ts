import { closeSync, constants, fstatSync, openSync } from "node:fs";

/** Holds a name without reading what it leads to. @see open(2); Node has no name for it */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * A folder held by a descriptor. What is done below `path` is done in that very folder, whatever its
 * name leads to by then.
 */
export class PinnedFolder {
  readonly #descriptor: number;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * The folder below `base` that these segments name, none of them a link.
   * @throws {Error} as open(2): ENOENT, ENOTDIR (a link is none either), EACCES
   */
  static open(base: string, below: readonly string[]): PinnedFolder {
    let folder = new PinnedFolder(openSync(base, FLAGS));
    for (const segment of below) {
      const outer = folder;
      try {
        folder = new PinnedFolder(openSync(`${outer.path}/${segment}`, FLAGS));
      } finally {
        outer.close();
      }
    }
    return folder;
  }

  /** Leads to the folder for as long as it is held. */
  get path(): string {
    return `/proc/self/fd/${this.#descriptor}`;
  }

  /** Tells folders apart, whatever their names. */
  get identity(): string {
    const { dev, ino } = fstatSync(this.#descriptor, { bigint: true });
    return `${dev}:${ino}`;
  }

  /** A second hold on the same folder. */
  hold(): PinnedFolder {
    return new PinnedFolder(openSync(`${this.path}/.`, FLAGS));
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

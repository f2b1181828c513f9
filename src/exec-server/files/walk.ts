import { lstat, stat } from "node:fs/promises";
import { errnoOf, errnoText } from "../../errno.ts";
import { fileError } from "../file-error.ts";
import {
  WALK_ITEM_BYTES,
  WALK_MAX_DEPTH,
  WALK_MAX_DIRECTORIES,
  WALK_MAX_ENTRIES,
  WALK_RESPONSE_BYTES,
} from "../limits.ts";
import { type PathUri, uriOf } from "../path-uri.ts";
import type { FileParams, WalkOptions, WalkResult } from "../ports.ts";
import { internalError, invalidRequest } from "../rpc-error.ts";
import { type NamedEntry, namedEntries } from "./folders.ts";
import { child, pathOf } from "./native.ts";

/** Names of one folder held to be sorted; the rest of a larger one is left out. */
const MAX_SORTED_NAMES = 200_000;
const DOT = 0x2e;

export async function walk({ path, options }: FileParams<"fs/walk">): Promise<WalkResult> {
  checkLimits(options);
  const root = pathOf(path);
  const kind = await (options.followDirectorySymlinks ? stat(root) : lstat(root));
  const walker = new Walker(options);
  if (kind.isDirectory()) await walker.run(root);
  return walker.result;
}

function checkLimits({ maxDepth, maxDirectories, maxEntries }: WalkOptions): void {
  if (maxDirectories === 0 || maxEntries === 0) {
    throw invalidRequest("filesystem walk limits must be greater than zero");
  }
  const within =
    maxDepth <= WALK_MAX_DEPTH &&
    maxDirectories <= WALK_MAX_DIRECTORIES &&
    maxEntries <= WALK_MAX_ENTRIES;
  if (within) return;
  const maximums = `depth=${WALK_MAX_DEPTH}, directories=${WALK_MAX_DIRECTORIES}, entries=${WALK_MAX_ENTRIES}`;
  throw invalidRequest(`filesystem walk limits exceed maximums: ${maximums}`);
}

interface Folder {
  readonly path: Buffer;
  readonly depth: number;
}

/** One walk: breadth first, each folder in the byte order of its names. */
class Walker {
  readonly #options: WalkOptions;
  readonly #entries: { path: PathUri; kind: "directory" | "file" }[] = [];
  readonly #errors: { path: PathUri; message: string }[] = [];
  readonly #ahead: Folder[] = [];
  readonly #entered = new Set<string>();
  #directories = 0;
  #examined = 0;
  #bytes = 0;
  #truncated = false;
  #full = false;

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  get result(): WalkResult {
    return { entries: this.#entries, errors: this.#errors, truncated: this.#truncated };
  }

  async run(root: Buffer): Promise<void> {
    this.#ahead.push({ path: root, depth: 0 });
    for (let folder = this.#ahead.shift(); folder !== undefined; folder = this.#ahead.shift()) {
      if (this.#full) return;
      await this.#enter(folder, folder.path === root);
    }
  }

  async #enter(folder: Folder, isRoot: boolean): Promise<void> {
    if (!(await this.#isNew(folder.path))) return;
    if (this.#directories === this.#options.maxDirectories) {
      this.#truncated = true;
      return;
    }
    this.#directories += 1;
    try {
      for (const entry of await this.#sorted(folder.path)) {
        if (this.#full) return;
        await this.#examine(folder, entry);
      }
    } catch (error) {
      if (isRoot) throw fileError(error);
      this.#fail(folder.path, error);
    }
  }

  /** Links can lead to one folder by many ways, and round in circles. */
  async #isNew(path: Buffer): Promise<boolean> {
    if (!this.#options.followDirectorySymlinks) return true;
    const stats = await stat(path).catch(() => null);
    const identity = `${stats?.dev}:${stats?.ino}`;
    if (stats !== null && this.#entered.has(identity)) return false;
    this.#entered.add(identity);
    return true;
  }

  async #sorted(path: Buffer): Promise<NamedEntry[]> {
    const entries: NamedEntry[] = [];
    for await (const entry of namedEntries(path)) {
      if (entries.length === MAX_SORTED_NAMES) {
        this.#truncated = true;
        break;
      }
      entries.push(entry);
    }
    return entries.sort((a, b) => Buffer.compare(a.name, b.name));
  }

  async #examine(folder: Folder, entry: NamedEntry): Promise<void> {
    const isLink = entry.isSymbolicLink();
    if (isLink && !this.#options.followDirectorySymlinks) return;
    if (this.#examined === this.#options.maxEntries) return this.#stop();
    this.#examined += 1;
    const path = child(folder.path, entry.name);
    if (entry.isFile()) this.#list(path, "file");
    else if (entry.isDirectory() || (isLink && (await leadsToFolder(path)))) {
      if (this.#list(path, "directory")) this.#plan(path, folder.depth, entry.name);
    }
  }

  #plan(path: Buffer, depth: number, name: Buffer): void {
    const { maxDepth, pruneHiddenDirectories } = this.#options;
    if (depth >= maxDepth || (pruneHiddenDirectories && name[0] === DOT)) return;
    this.#ahead.push({ path, depth: depth + 1 });
  }

  #list(path: Buffer, kind: "directory" | "file"): boolean {
    const uri = uriOf(path);
    if (!this.#fits(uri.length)) return false;
    this.#entries.push({ path: uri, kind });
    return true;
  }

  #fail(path: Buffer, error: unknown): void {
    const errno = errnoOf(error);
    const message = errno === null ? internalError(String(error)).message : errnoText(errno);
    const uri = uriOf(path);
    if (this.#fits(uri.length + message.length)) this.#errors.push({ path: uri, message });
  }

  #fits(length: number): boolean {
    this.#bytes += length + WALK_ITEM_BYTES;
    if (this.#bytes <= WALK_RESPONSE_BYTES) return true;
    this.#stop();
    return false;
  }

  #stop(): void {
    this.#truncated = true;
    this.#full = true;
  }
}

async function leadsToFolder(path: Buffer): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats?.isDirectory() ?? false;
}

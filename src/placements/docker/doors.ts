import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { OutworkError } from "../../errors.ts";

/** In place of a folder's name: the socket stays inside of the container. */
const INSIDE = "inside-";
const SOCKET = "agent.sock";
/** A socket's path, its final zero included. @see unix(7) */
const MAX_SOCKET_PATH_BYTES = 108;

/** User and group id that agent and commands have in the container. */
export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** How the agent is reached: through a folder of ours, or not from outside of the container. */
export type DoorKind = "folder" | "inside";

/**
 * Folders on this host in which agents put their sockets, one for each launch, below one folder that
 * only the service's user can enter.
 */
export class Doors {
  readonly #root: string;
  readonly #ids: Ids;
  /** What this process has opened: a launch may be under way behind it. */
  readonly #opened = new Set<string>();

  /** @throws `validation-failed` the path is too long for the kernel's socket addresses */
  constructor(stateFolder: string, ids: Ids) {
    this.#root = join(stateFolder, "docker");
    this.#ids = ids;
    const path = this.socket(newName());
    if (Buffer.byteLength(path) >= MAX_SOCKET_PATH_BYTES) throw tooLong(stateFolder, path);
  }

  /** Makes a door of a name that no launch had before. */
  async open(kind: DoorKind): Promise<string> {
    const name = newName();
    if (kind === "inside") return INSIDE + name;
    this.#opened.add(name);
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await mkdir(this.folder(name), { mode: 0o700 });
    if (process.getuid?.() === 0) await chown(this.folder(name), this.#ids.uid, this.#ids.gid);
    return name;
  }

  async close(door: string): Promise<void> {
    if (kindOf(door) !== "folder") return;
    await rm(this.folder(door), { recursive: true, force: true });
    this.#opened.delete(door);
  }

  /** Closes every door that an earlier run left, but these. */
  async sweep(kept: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    const left = names.filter((name) => !kept.has(name) && !this.#opened.has(name));
    await Promise.all(left.map((name) => this.close(name)));
  }

  folder(door: string): string {
    return join(this.#root, door);
  }

  socket(door: string): string {
    return join(this.folder(door), SOCKET);
  }
}

/** @returns null: not the name of a door */
export function kindOf(door: string): DoorKind | null {
  if (/^[0-9a-f]{16}$/.test(door)) return "folder";
  return door.startsWith(INSIDE) ? "inside" : null;
}

function newName(): string {
  return randomBytes(8).toString("hex");
}

function tooLong(stateFolder: string, path: string): OutworkError {
  const tooMany = Buffer.byteLength(path) - MAX_SOCKET_PATH_BYTES + 1;
  return new OutworkError(
    "validation-failed",
    `The state folder ${stateFolder} is ${tooMany} bytes too long: sockets below it must have paths ` +
      `of less than ${MAX_SOCKET_PATH_BYTES} bytes.`,
  );
}

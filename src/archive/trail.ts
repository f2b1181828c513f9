import { systemCode } from "../errors.ts";
import type { ByteText } from "./byte-text.ts";
import type { Folder } from "./folder.ts";
import { explained, refused } from "./refusal.ts";
import { isStandIn, type StandInNames } from "./stand-in.ts";

type Step = { readonly name: ByteText; readonly folder: Folder };

/** Given a step of the way that does not exist: creates it, or throws. */
export type OnMissing = (parent: Folder, way: readonly ByteText[]) => Promise<void>;

/**
 * The open folders from a root to wherever the last entry went. Neighbours in an archive share most
 * of the way, and every step of it was checked when it was opened.
 */
export class Trail implements AsyncDisposable {
  readonly #root: Folder;
  readonly #standIns: StandInNames;
  readonly #steps: Step[] = [];

  /** Borrows `root`. Stand-ins count as missing. */
  constructor(root: Folder, standIns: StandInNames) {
    this.#root = root;
    this.#standIns = standIns;
  }

  /**
   * Goes to the folder at `path`, for the sake of `entry`.
   * @throws `archive-refused`, `link-in-path` or `type-conflict`, when a step is no real folder
   */
  async enter(path: readonly ByteText[], entry: ByteText, onMissing: OnMissing): Promise<Folder> {
    await this.#leave(path);
    let parent = this.#steps.at(-1)?.folder ?? this.#root;
    for (let depth = this.#steps.length; depth < path.length; depth += 1) {
      parent = await this.#step(parent, path.slice(0, depth + 1), entry, onMissing);
    }
    return parent;
  }

  /** Back to the last folder that is shared with `path`. */
  async #leave(path: readonly ByteText[]): Promise<void> {
    let shared = 0;
    while (shared < path.length && this.#steps[shared]?.name === path[shared]) shared += 1;
    for (const { folder } of this.#steps.splice(shared).reverse()) {
      await folder[Symbol.asyncDispose]();
    }
  }

  async #step(
    parent: Folder,
    way: readonly ByteText[],
    entry: ByteText,
    onMissing: OnMissing,
  ): Promise<Folder> {
    const name = way.at(-1) ?? "";
    try {
      if (await this.#isMissing(parent, name)) await onMissing(parent, way);
      const folder = await parent.child(name);
      this.#steps.push({ name, folder });
      return folder;
    } catch (error) {
      if (systemCode(error) !== "ENOTDIR") throw explained(error, way.join("/"));
      const isLink = (await parent.find(name))?.isSymbolicLink() ?? false;
      throw refused(entry, isLink ? "link-in-path" : "type-conflict");
    }
  }

  async #isMissing(parent: Folder, name: ByteText): Promise<boolean> {
    const found = await parent.find(name);
    return found === undefined || (await isStandIn(parent, name, this.#standIns));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave([]);
  }
}

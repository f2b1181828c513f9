import { createHash } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { EffectivePolicy } from "../../contract/policy.ts";
import { systemCode } from "../../errors.ts";

/**
 * Where helpers note what an atomic patch is about to do, out of every command's sight: whoever could
 * write there would decide what is undone. A folder for each policy, since what one may write another
 * may not be able to undo.
 */
export class PatchJournals {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The folder of one policy's helper, which is made if it is missing. Null when it cannot be made, as on
   * a full disk: then atomic patches are refused, and files can be read all the same.
   */
  folderOf(files: EffectivePolicy["files"]): string | null {
    const name = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16);
    const folder = join(this.#root, name);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return null;
    }
  }

  /** Whether a helper ended in the middle of a patch. To be asked while none uses the folder. */
  isOpen(folder: string): boolean {
    return readdirSync(folder).length > 0;
  }
}

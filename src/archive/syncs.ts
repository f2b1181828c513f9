import type { FileHandle } from "node:fs/promises";
import type { ByteText } from "./byte-text.ts";
import { explained } from "./refusal.ts";

/** Disks write several files at once as fast as one. */
const AT_ONCE = 8;

/** Files on their way to the disk. Takes them over and closes them. */
export class Syncs implements AsyncDisposable {
  readonly #underWay = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  /** @throws the failure of an earlier file */
  async add(file: FileHandle, name: ByteText): Promise<void> {
    const done = sync(file)
      .catch((error: unknown) => {
        this.#failure ??= { error: explained(error, name) };
      })
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    while (this.#underWay.size >= AT_ONCE) await Promise.race(this.#underWay);
    this.#throwFailure();
  }

  /** All files are on the disk. @throws the failure of one of them */
  async settled(): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay);
  }
}

async function sync(file: FileHandle): Promise<void> {
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

import { MAX_WATCHED_PATHS } from "../limits.ts";
import { fitsHost } from "../path-uri.ts";
import type { Files, Watch, WatchedPaths } from "../ports.ts";

/** The one watch of a connection. A new one replaces it, even when the new one is refused. */
export class MissingWatch {
  #latestId = -1n;
  #watch: Watch | null = null;
  #disposed = false;

  /** Null: not watching. Otherwise a function that begins to report, once, the first change. */
  async begin(
    id: bigint,
    paths: WatchedPaths,
    { files, signal }: { readonly files: Files; readonly signal: AbortSignal },
  ): Promise<((changed: () => void) => void) | null> {
    this.#stop();
    if (id <= this.#latestId) return null;
    this.#latestId = id;
    if (!watchable(paths)) return null;
    const watch = await files.watchMissing(paths, { signal });
    if (watch === null || !this.#adopt(id, watch)) return null;
    return (changed) => this.#report(watch, changed);
  }

  dispose(): void {
    this.#disposed = true;
    this.#stop();
  }

  #adopt(id: bigint, watch: Watch): boolean {
    const current = !this.#disposed && id === this.#latestId;
    if (current) this.#watch = watch;
    else watch[Symbol.dispose]();
    return current;
  }

  #report(watch: Watch, changed: () => void): void {
    void watch.changed.then(() => {
      if (this.#watch !== watch) return;
      this.#stop();
      changed();
    });
  }

  #stop(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = null;
  }
}

function watchable({ missing, present }: WatchedPaths): boolean {
  if (missing.length === 0 || missing.length > MAX_WATCHED_PATHS) return false;
  return missing.every(fitsHost) && (present === null || fitsHost(present));
}

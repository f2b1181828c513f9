import type { EffectivePolicy } from "../../contract/policy.ts";
import { asError } from "../../errors.ts";
import type { PathUri } from "../../exec-server/path-uri.ts";
import type {
  FileMethod,
  FileMode,
  FileOptions,
  FileParams,
  FileResult,
  Files,
  OpenFile,
  Watch,
  WatchedPaths,
} from "../../exec-server/ports.ts";
import { internalError } from "../../exec-server/rpc-error.ts";
import { meet } from "../../policy/meet.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { FileHelper } from "./file-helper.ts";

/** A helper that nothing uses is kept this long for the next call. */
const IDLE_MS = 3_000;

interface Pooled {
  readonly helper: FileHelper;
  openFiles: number;
  idle: NodeJS.Timeout | null;
}

/**
 * The environment's files, each call in the sandbox of its own effective policy: one resident helper
 * for each distinct policy, so that links and races are the kernel's business and a call costs no
 * process.
 */
export class SandboxedFiles implements Files {
  readonly #environment: EffectivePolicy;
  readonly #sandbox: Sandbox;
  readonly #pool = new Map<string, Pooled>();

  constructor(environment: EffectivePolicy, sandbox: Sandbox) {
    this.#environment = environment;
    this.#sandbox = sandbox;
  }

  call<M extends FileMethod>(
    method: M,
    params: FileParams<M>,
    { policy }: FileOptions,
  ): Promise<FileResult<M>> {
    return this.#with(policy, async ({ helper }) => {
      const operation = { kind: "call" as const, method, params };
      return (await helper.do(operation)) as FileResult<M>;
    });
  }

  open(
    { path, mode }: { path: PathUri; mode: FileMode },
    { policy }: FileOptions,
  ): Promise<OpenFile> {
    return this.#with(policy, async (pooled) => {
      const file = (await pooled.helper.do({ kind: "open", path, mode })) as number;
      pooled.openFiles += 1;
      return this.#openFile(pooled, file);
    });
  }

  watchMissing(paths: WatchedPaths): Promise<Watch | null> {
    return this.#with(this.#environment, async ({ helper }) => {
      const watch = (await helper.do({ kind: "watch", paths })) as number | null;
      return watch === null ? null : watchOf(helper, watch);
    });
  }

  #openFile(pooled: Pooled, file: number): OpenFile {
    const { helper } = pooled;
    return {
      read: async (range) => (await helper.do({ kind: "read", file, ...range })) as Uint8Array,
      write: async (offset, bytes) => {
        await helper.do({ kind: "write", file, offset, bytes });
      },
      [Symbol.asyncDispose]: async () => {
        pooled.openFiles -= 1;
        await helper.do({ kind: "close", file }).finally(() => this.#rest(pooled));
      },
    };
  }

  async #with<T>(request: EffectivePolicy, use: (pooled: Pooled) => Promise<T>): Promise<T> {
    const pooled = this.#pooled(meet(this.#environment, request).files);
    if (pooled.idle) clearTimeout(pooled.idle);
    try {
      return await use(pooled);
    } finally {
      this.#rest(pooled);
    }
  }

  #pooled(files: EffectivePolicy["files"]): Pooled {
    const key = JSON.stringify(files);
    const present = this.#pool.get(key);
    if (present) return present;
    const helper = this.#startHelper(files, () => this.#pool.delete(key));
    const pooled = { helper, openFiles: 0, idle: null };
    this.#pool.set(key, pooled);
    return pooled;
  }

  #startHelper(files: EffectivePolicy["files"], onGone: () => void): FileHelper {
    try {
      return new FileHelper(this.#sandbox.runHelper(["files"], files), onGone);
    } catch (error) {
      throw internalError(`the file sandbox could not be started: ${asError(error).message}`);
    }
  }

  #rest(pooled: Pooled): void {
    if (pooled.idle) clearTimeout(pooled.idle);
    if (pooled.helper.busy || pooled.openFiles > 0) return;
    pooled.idle = setTimeout(() => pooled.helper.stop(), IDLE_MS).unref();
  }
}

function watchOf(helper: FileHelper, watch: number): Watch {
  return {
    changed: new Promise((resolve) => helper.onChange(watch, resolve)),
    [Symbol.dispose]: () => {
      helper.forget(watch);
      helper.do({ kind: "unwatch", watch }).catch(() => {});
    },
  };
}

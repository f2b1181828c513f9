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
import type { Recovered } from "../../patch/atomic/recover.ts";
import type { ToolAnswer } from "../../patch/tool.ts";
import { meet } from "../../policy/meet.ts";
import { logLine } from "../log.ts";
import { JOURNAL_FOLDER } from "../sandbox/mount-plan.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { FileHelper } from "./file-helper.ts";
import type { PatchJournals } from "./patch-journals.ts";
import type { PatchRequest } from "./protocol.ts";

type FilePolicy = EffectivePolicy["files"];

/** A helper that nothing uses is kept this long for the next call. */
const IDLE_MS = 3_000;

/** Helpers at once. Callers can think up any number of policies; the machine cannot hold them. */
const MAX_HELPERS = 8;

/** Calls that change nothing. Every policy lets them read the same. */
const READING: ReadonlySet<FileMethod> = new Set([
  "fs/readFile",
  "fs/getMetadata",
  "fs/canonicalize",
  "fs/readDirectory",
  "fs/walk",
]);

/** For those: one sandbox for all policies, without guards that would show on the disk. */
const READ_ONLY: FilePolicy = {
  write: [],
  protected_names: [],
};

interface Pooled {
  readonly helper: FileHelper;
  /** Until patches that an earlier helper left in the middle have been ended. */
  readonly recovery: Promise<unknown> | null;
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
  readonly #journals: PatchJournals | null;
  readonly #pool = new Map<string, Pooled>();

  /** @param journals for atomic patches; null: they are refused */
  constructor(environment: EffectivePolicy, sandbox: Sandbox, journals: PatchJournals | null) {
    this.#environment = environment;
    this.#sandbox = sandbox;
    this.#journals = journals;
  }

  call<M extends FileMethod>(
    method: M,
    params: FileParams<M>,
    { policy }: FileOptions,
  ): Promise<FileResult<M>> {
    return this.#with(this.#filesOf(method, policy), async ({ helper }) => {
      const operation = { kind: "call" as const, method, params };
      return (await helper.do(operation)) as FileResult<M>;
    });
  }

  open(
    { path, mode }: { path: PathUri; mode: FileMode },
    { policy }: FileOptions,
  ): Promise<OpenFile> {
    return this.#with(mode === "read" ? READ_ONLY : this.#effective(policy), async (pooled) => {
      const file = (await pooled.helper.do({ kind: "open", path, mode })) as number;
      pooled.openFiles += 1;
      return this.#openFile(pooled, file);
    });
  }

  watchMissing(paths: WatchedPaths): Promise<Watch | null> {
    return this.#with(READ_ONLY, async ({ helper }) => {
      const watch = (await helper.do({ kind: "watch", paths })) as number | null;
      return watch === null ? null : watchOf(helper, watch);
    });
  }

  /**
   * An atomic patch whose helper was killed has happened wholly or not at all when this rejects.
   * @throws RpcError only when the sandbox cannot be had; what the patch met is in the answer
   */
  async patch(request: PatchRequest, policy: EffectivePolicy): Promise<ToolAnswer> {
    const files = this.#effective(policy);
    const patch = this.#journals ? { ...request, journal: JOURNAL_FOLDER } : request;
    try {
      return await this.#with(files, async ({ helper }) => {
        return (await helper.do({ kind: "patch", patch })) as ToolAnswer;
      });
    } catch (error) {
      if (request.options.atomic) await this.#with(files, async () => {});
      throw error;
    }
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

  #filesOf(method: FileMethod, policy: EffectivePolicy): FilePolicy {
    return READING.has(method) ? READ_ONLY : this.#effective(policy);
  }

  #effective(request: EffectivePolicy): FilePolicy {
    return meet(this.#environment, request).files;
  }

  async #with<T>(files: FilePolicy, use: (pooled: Pooled) => Promise<T>): Promise<T> {
    const pooled = this.#pooled(files);
    if (pooled.idle) clearTimeout(pooled.idle);
    try {
      if (pooled.recovery !== null) await pooled.recovery;
      return await use(pooled);
    } finally {
      this.#rest(pooled);
    }
  }

  #pooled(files: FilePolicy): Pooled {
    const key = JSON.stringify(files);
    const present = this.#pool.get(key);
    if (present) return present;
    this.#makeRoom();
    const journal = this.#journals?.folderOf(files) ?? null;
    const isOpen = journal !== null && this.#journals?.isOpen(journal) === true;
    const helper = this.#startHelper(files, journal, () => this.#forget(key, pooled));
    const recovery = isOpen ? recover(helper) : null;
    const pooled: Pooled = { helper, recovery, openFiles: 0, idle: null };
    this.#pool.set(key, pooled);
    return pooled;
  }

  /** @throws RpcError when every helper is in use */
  #makeRoom(): void {
    if (this.#pool.size < MAX_HELPERS) return;
    const idle = [...this.#pool].find(([, pooled]) => !inUse(pooled));
    if (!idle)
      throw internalError(`files are in use under ${MAX_HELPERS} policies; try again later`);
    this.#pool.delete(idle[0]);
    idle[1].helper.stop();
  }

  #startHelper(files: FilePolicy, journal: string | null, onGone: () => void): FileHelper {
    try {
      return new FileHelper(this.#sandbox.runHelper(["files"], files, journal), onGone);
    } catch (error) {
      throw internalError(`the file sandbox could not be started: ${asError(error).message}`);
    }
  }

  #forget(key: string, pooled: Pooled): void {
    if (this.#pool.get(key) === pooled) this.#pool.delete(key);
  }

  #rest(pooled: Pooled): void {
    if (pooled.idle) clearTimeout(pooled.idle);
    if (inUse(pooled)) return;
    pooled.idle = setTimeout(() => pooled.helper.stop(), IDLE_MS).unref();
  }
}

/** A conflict is for whoever looks after the environment: nobody else has asked for this. */
async function recover(helper: FileHelper): Promise<void> {
  const operation = { kind: "recover" as const, journal: JOURNAL_FOLDER };
  const recovered = (await helper.do(operation)) as Recovered[];
  for (const patch of recovered) logLine("an atomic patch was cut off", { ...patch });
}

function inUse({ helper, openFiles }: Pooled): boolean {
  return helper.busy || openFiles > 0;
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

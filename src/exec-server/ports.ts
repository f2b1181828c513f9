import type { EffectivePolicy } from "../contract/policy.ts";
import type { StreamName, TerminalSize } from "../contract/process.ts";
import type { PathUri } from "./path-uri.ts";

/** Ends the wait. Work that has begun is not undone unless a method says so. */
export interface WaitOptions {
  readonly signal: AbortSignal;
}

/** What the executor says of itself. Paths are native and absolute. */
export interface EnvironmentFacts {
  /** Login shell of the user that commands run as; `name` is `bash`, `zsh` or `sh`. */
  readonly shell: { readonly name: string; readonly path: string };
  readonly executorVersion: string;
  /** Opaque identity of the build; null to say nothing. */
  readonly providerId: string | null;
  /** Where commands start when nobody says otherwise. */
  readonly cwd: string | null;
  readonly userHomeDir: string;
  readonly tempDir: string;
  /** Folders that a client puts in front of `PATH`. */
  readonly prependPathDirs: readonly string[];
  readonly hostname: string;
  /** What commands inherit when they ask for it: never the variables of the agent itself. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A start, checked and in the host's terms. */
export interface ProcessStart {
  /** Not empty. The program is looked up in `env.PATH`, or relative to `cwd` when it has a slash. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Everything the child gets; nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Run on a terminal of this size; null: on two pipes. */
  readonly tty: TerminalSize | null;
  /** Keep stdin open for writes. Without it, and without a terminal, stdin is at its end. */
  readonly pipeStdin: boolean;
  /** What the child sees as `argv[0]`; null: `argv[0]`. */
  readonly arg0: string | null;
  /** What the request asks for. The executor enforces its meet with the environment's policy. */
  readonly policy: EffectivePolicy;
}

export interface OutputChunk {
  readonly seq: number;
  readonly stream: StreamName;
  /** At most 8192 bytes. Not copied: the log's own. */
  readonly bytes: Uint8Array;
}

/** Numbered from 1 without gaps. `exited` once, then perhaps more output, then `closed` as the last. */
export type ProcessEvent =
  | ({ readonly type: "output" } & OutputChunk)
  /** 128 + signal for a death by signal; 1 for one on a terminal. */
  | { readonly type: "exited"; readonly seq: number; readonly exitCode: number }
  | { readonly type: "closed"; readonly seq: number };

/** Where commands run. */
export interface Processes {
  /**
   * Resolves once the program runs. Aborting `signal` undoes a start that is still under way.
   * @throws a system error (its `code`, or its cause's) when the program cannot be executed
   * @throws OutworkError `policy-denied`, `ceiling-exceeded` or `enforcement-missing` when the policy
   * cannot be given
   */
  start(start: ProcessStart, options: WaitOptions): Promise<StartedProcess>;
}

/** A process from its start until it is released, exited or not. */
export interface StartedProcess {
  /** The policy that holds. */
  readonly policy: EffectivePolicy;
  /** The number that the next event will get. */
  readonly nextSeq: number;
  /** Null until the process has ended. */
  readonly exit: { readonly seq: number; readonly exitCode: number } | null;
  /** No event follows. */
  readonly closed: boolean;
  /** Resolves when `exit` is set. Never rejects. */
  readonly whenExited: Promise<void>;
  /** Resolves when `closed` is true. Never rejects. */
  readonly whenClosed: Promise<void>;

  /** Output that is still held, oldest first, after that number. */
  retained(afterSeq: number): Iterable<OutputChunk>;

  /** Resolves at the next event; rejects when aborted. */
  changed(options: WaitOptions): Promise<void>;

  /**
   * Every event after that number, in order, ending after `closed` or when aborted. The follower
   * sets the pace: the process is made to wait before output that a follower has not taken is
   * dropped. Without followers it never waits.
   */
  events(from: { readonly afterSeq: number } & WaitOptions): AsyncIterable<ProcessEvent>;

  /**
   * Writes to stdin; resolves when the bytes are queued, which may take until the process reads. The
   * last 4096 accepted ids are remembered: one that comes again is accepted and writes nothing.
   */
  write(input: {
    readonly writeId: string;
    readonly chunk: Uint8Array;
  }): Promise<"accepted" | "stdinClosed">;

  /** SIGINT to the process group. Nothing when it has ended. */
  interrupt(): void;

  /** SIGKILL to everything the start left behind. False when it had already ended. */
  terminate(): boolean;

  /** Nobody will ask any more: whatever still runs of it is killed, and its output forgotten. */
  release(): void;
}

/** The calls of one answer each, with the defaults filled in. */
export interface FileCalls {
  "fs/readFile": {
    params: { path: PathUri; followSymlinks: boolean };
    result: { data: Uint8Array };
  };
  "fs/writeFile": {
    params: { path: PathUri; data: Uint8Array; followSymlinks: boolean };
    result: Done;
  };
  "fs/createDirectory": {
    params: { path: PathUri; recursive: boolean; followSymlinks: boolean };
    result: Done;
  };
  "fs/getMetadata": {
    params: { path: PathUri; followSymlinks: boolean };
    result: FileMetadata;
  };
  "fs/canonicalize": { params: { path: PathUri }; result: { path: PathUri } };
  "fs/readDirectory": { params: { path: PathUri }; result: { entries: readonly DirectoryEntry[] } };
  "fs/walk": { params: { path: PathUri; options: WalkOptions }; result: WalkResult };
  "fs/remove": {
    params: { path: PathUri; recursive: boolean; force: boolean; followSymlinks: boolean };
    result: Done;
  };
  "fs/copy": {
    params: { sourcePath: PathUri; destinationPath: PathUri; recursive: boolean };
    result: Done;
  };
}

export type Done = Readonly<Record<string, never>>;
export type FileMethod = keyof FileCalls;
export type FileParams<M extends FileMethod> = FileCalls[M]["params"];
export type FileResult<M extends FileMethod> = FileCalls[M]["result"];

/** Times are milliseconds since 1970. All members but `isSymlink` describe a link's target. */
export interface FileMetadata {
  readonly isDirectory: boolean;
  readonly isFile: boolean;
  readonly isSymlink: boolean;
  readonly size: number;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
}

/** Bytes of the name that are not UTF-8 show as U+FFFD. Flags follow links. */
export interface DirectoryEntry {
  readonly fileName: string;
  readonly isDirectory: boolean;
  readonly isFile: boolean;
}

export interface WalkOptions {
  readonly maxDepth: number;
  readonly maxDirectories: number;
  readonly maxEntries: number;
  readonly followDirectorySymlinks: boolean;
  readonly pruneHiddenDirectories: boolean;
}

export interface WalkResult {
  readonly entries: readonly { readonly path: PathUri; readonly kind: "directory" | "file" }[];
  readonly errors: readonly { readonly path: PathUri; readonly message: string }[];
  readonly truncated: boolean;
}

/** The policy of one file call: what the request asks for, to be met with the environment's. */
export interface FileOptions extends WaitOptions {
  readonly policy: EffectivePolicy;
}

/** The environment's files, each call under its own policy. */
export interface Files {
  /** @throws RpcError with the code and text that the client gets */
  call<M extends FileMethod>(
    method: M,
    params: FileParams<M>,
    options: FileOptions,
  ): Promise<FileResult<M>>;

  /** Opens a regular file. `replace` creates or empties it. @throws RpcError like `call` */
  open(
    params: { readonly path: PathUri; readonly mode: FileMode },
    options: FileOptions,
  ): Promise<OpenFile>;

  /**
   * Watches paths that must not exist, and `present`, which must. Null when that is not so now, or
   * when they cannot be watched.
   */
  watchMissing(paths: WatchedPaths, options: WaitOptions): Promise<Watch | null>;
}

export type FileMode = "read" | "replace";

/** An open file. Disposing it closes it. Calls reject with RpcError. */
export interface OpenFile extends AsyncDisposable {
  /** Fewer bytes than asked for only at the end of the file. `offset` is below 2^63. */
  read(range: { readonly offset: bigint; readonly length: number }): Promise<Uint8Array>;
  /** Writes all of it. */
  write(offset: bigint, bytes: Uint8Array): Promise<void>;
}

export interface WatchedPaths {
  readonly missing: readonly PathUri[];
  readonly present: PathUri | null;
}

/** Disposing it ends the watch. */
export interface Watch extends Disposable {
  /** Resolves at the first change near the paths; never, once disposed. */
  readonly changed: Promise<void>;
}

export interface HttpHeader {
  readonly name: string;
  readonly value: string;
}

/** One request to one server. Redirects and content encodings are not the port's business. */
export interface HttpExchange {
  readonly method: string;
  readonly url: URL;
  /** In order, repeats kept. */
  readonly headers: readonly HttpHeader[];
  readonly body: Uint8Array | null;
}

export interface HttpReply {
  readonly status: number;
  /** Names in lower case, in order, repeats kept. */
  readonly headers: readonly HttpHeader[];
  /** Throws when the connection breaks before the body's end. Leaving the loop closes it. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The way out, if there is one. */
export interface HttpClient {
  /** Resolves with the head of the answer. Aborting ends the exchange, its body included. */
  exchange(request: HttpExchange, options: WaitOptions): Promise<HttpReply>;
}

import type { PatchOptions } from "../../contract/patch.ts";
import type { PathUri } from "../../exec-server/path-uri.ts";
import type { FileMethod, FileMode, FileParams, WatchedPaths } from "../../exec-server/ports.ts";
import type { WireError } from "../../exec-server/rpc-error.ts";

/** A patch to be verified and applied; `cwd` is absolute. */
export interface PatchRequest {
  readonly text: string;
  readonly cwd: string;
  readonly options: PatchOptions;
  /** Whether the patch may name an environment, which the caller has chosen already. */
  readonly environmentLine: "refused" | "ignored";
  /** The helper's path of the folder for journals. Without it, atomic patches are refused. */
  readonly journal?: string;
}

/** What the agent asks of a file helper. Both sides are this program: values go as V8 writes them. */
export type FileOperation =
  | { readonly kind: "call"; readonly method: FileMethod; readonly params: FileParams<FileMethod> }
  | { readonly kind: "open"; readonly path: PathUri; readonly mode: FileMode }
  | {
      readonly kind: "read";
      readonly file: number;
      readonly offset: bigint;
      readonly length: number;
    }
  | {
      readonly kind: "write";
      readonly file: number;
      readonly offset: bigint;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "close"; readonly file: number }
  | { readonly kind: "patch"; readonly patch: PatchRequest }
  /** Ends what patches of an earlier helper have left in the middle. */
  | { readonly kind: "recover"; readonly journal: string }
  | { readonly kind: "watch"; readonly paths: WatchedPaths }
  | { readonly kind: "unwatch"; readonly watch: number };

export interface FileRequest {
  readonly id: number;
  readonly operation: FileOperation;
}

/** The answer to a request, or word of a change that a watch waited for. */
export type FileReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: WireError }
  | { readonly changed: number };

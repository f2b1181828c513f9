import { base64, boolean, count, list, string, u64 } from "../decode.ts";
import { defaulted, oneOf, optional, required, struct } from "../decode-shape.ts";
import { pathUri } from "../path-uri.ts";
import { sandboxContext } from "./sandbox.ts";

const path = required(pathUri);
const sandbox = optional(sandboxContext);
const followSymlinks = optional(boolean, true);
const handleId = required(string);

export const readFileParams = struct("FsReadFileParams", { path, sandbox, followSymlinks });

export const writeFileParams = struct("FsWriteFileParams", {
  path,
  /** Decoded later: its fault has an answer of its own. */
  dataBase64: required(string),
  sandbox,
  followSymlinks,
});

export const createDirectoryParams = struct("FsCreateDirectoryParams", {
  path,
  recursive: optional(boolean, true),
  sandbox,
  followSymlinks,
});

export const getMetadataParams = struct("FsGetMetadataParams", { path, sandbox, followSymlinks });

export const canonicalizeParams = struct("FsCanonicalizeParams", { path, sandbox });

export const readDirectoryParams = struct("FsReadDirectoryParams", { path, sandbox });

const walkOptions = struct("WalkOptions", {
  maxDepth: required(count()),
  maxDirectories: required(count()),
  maxEntries: required(count()),
  followDirectorySymlinks: required(boolean),
  pruneHiddenDirectories: defaulted(boolean, false),
});

export const walkParams = struct("FsWalkParams", {
  path,
  options: required(walkOptions),
  sandbox,
});

export const removeParams = struct("FsRemoveParams", {
  path,
  recursive: optional(boolean, true),
  force: optional(boolean, true),
  sandbox,
  followSymlinks,
});

export const copyParams = struct("FsCopyParams", {
  sourcePath: path,
  destinationPath: path,
  recursive: required(boolean),
  sandbox,
});

export const openParams = struct("FsOpenParams", {
  handleId,
  path,
  mode: defaulted(oneOf("read", "replace"), "read"),
  sandbox,
});

export const readBlockParams = struct("FsReadBlockParams", {
  handleId,
  offset: required(u64),
  len: required(count()),
});

export const writeBlockParams = struct("FsWriteBlockParams", {
  handleId,
  offset: required(u64),
  chunk: required(base64),
});

export const closeParams = struct("FsCloseParams", { handleId });

export const watchMissingParams = struct("FsWatchMissingParams", {
  watchId: required(u64),
  missing: required(list(pathUri)),
  present: optional(pathUri),
});

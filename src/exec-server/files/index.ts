import { fileError } from "../file-error.ts";
import type { FileMethod, FileParams, FileResult } from "../ports.ts";
import { readFile, writeFile } from "./content.ts";
import { copy } from "./copy.ts";
import { createDirectory, readDirectory } from "./folders.ts";
import { canonicalize, getMetadata } from "./metadata.ts";
import { remove } from "./remove.ts";
import { walk } from "./walk.ts";

export { openFile } from "./open-file.ts";
export { watchMissing } from "./watch-missing.ts";

type Implementations = {
  readonly [M in FileMethod]: (params: FileParams<M>) => Promise<FileResult<M>>;
};

const IMPLEMENTATIONS: Implementations = {
  "fs/readFile": readFile,
  "fs/writeFile": writeFile,
  "fs/createDirectory": createDirectory,
  "fs/getMetadata": getMetadata,
  "fs/canonicalize": canonicalize,
  "fs/readDirectory": readDirectory,
  "fs/walk": walk,
  "fs/remove": remove,
  "fs/copy": copy,
};

/**
 * Carries one file call out on the files of this very process: whatever confines the process confines
 * the call.
 * @throws RpcError
 */
export async function callFiles<M extends FileMethod>(
  method: M,
  params: FileParams<M>,
): Promise<FileResult<M>> {
  try {
    return await IMPLEMENTATIONS[method](params);
  } catch (error) {
    throw fileError(error);
  }
}

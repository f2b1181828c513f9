import { dirname } from "node:path";
import { systemCode } from "../../errors.ts";
import { PatchApplyError } from "../failure.ts";
import type { Content, PatchFiles } from "../files/port.ts";

/**
 * Writes a file; when a folder above it is missing, makes it and tries once more.
 * @throws {PatchApplyError}
 */
export async function put(
  files: PatchFiles,
  path: string,
  content: Content,
  mode?: number,
): Promise<void> {
  try {
    await files.write(path, content, mode);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw writeFailed(path, error);
    await makeParents(files, path);
    await files.write(path, content, mode).catch((again) => {
      throw writeFailed(path, again);
    });
  }
}

async function makeParents(files: PatchFiles, path: string): Promise<void> {
  try {
    await files.makeFolders(dirname(path));
  } catch (cause) {
    const message = `Failed to create parent directories for ${path}`;
    throw new PatchApplyError(message, path, { rule: "patch-write", cause });
  }
}

function writeFailed(path: string, cause: unknown): PatchApplyError {
  return new PatchApplyError(`Failed to write file ${path}`, path, { rule: "patch-write", cause });
}

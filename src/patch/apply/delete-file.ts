import { PatchApplyError } from "../failure.ts";
import { systemError } from "../files/locate.ts";
import type { PatchFiles } from "../files/port.ts";
import { lookAt } from "../files/seen.ts";
import type { DeleteFile } from "../operation.ts";
import { type Run, replaced } from "./run.ts";

/** Removes a file, or a link that leads to one. @throws {PatchApplyError} */
export async function deleteFile(run: Run, operation: DeleteFile): Promise<void> {
  const path = run.resolve(operation.path);
  const before = await lookAt(run.files, path);
  await removeFile(run.files, path, "Failed to delete file");
  const exact = before.content !== null;
  const rewrite = replaced(before, Buffer.alloc(0));
  run.record({ kind: "delete", path, before: before.content, exact, rewrite });
}

/**
 * Removes what leads to something that is no folder.
 * @param failing opens the message of what is thrown
 * @throws {PatchApplyError}
 */
export async function removeFile(files: PatchFiles, path: string, failing: string): Promise<void> {
  try {
    if ((await files.stat(path)).kind === "folder") throw systemError("EISDIR", path);
    await files.remove(path);
  } catch (cause) {
    throw new PatchApplyError(`${failing} ${path}`, path, { rule: "patch-write", cause });
  }
}

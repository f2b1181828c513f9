import { posix } from "node:path";
import { systemCode } from "../../errors.ts";
import { PatchApplyError } from "../failure.ts";
import { statOrNull } from "../files/locate.ts";
import type { DurableFiles, FileStat } from "../files/port.ts";
import { inParallel } from "./in-parallel.ts";
import type { Step } from "./step.ts";

/**
 * Puts new contents and second names of old ones on stable storage; targets stay as they are.
 * @throws {PatchApplyError}
 */
export async function prepare(steps: readonly Step[], files: DurableFiles): Promise<void> {
  await inParallel(steps, (step) =>
    saying(step, async () => {
      await save(step, files);
      await createFresh(step, files);
    }),
  );
  await syncFolders(
    steps.flatMap(({ fresh, saved }) => [fresh, saved]),
    files,
  );
}

/**
 * Removes, makes folders and renames, and brings all of it to stable storage.
 * @throws {PatchApplyError}
 */
export async function exchange(
  steps: readonly Step[],
  folders: readonly string[],
  files: DurableFiles,
): Promise<void> {
  for (const step of steps) await saying(step, () => expectUntouched(step, files));
  for (const step of steps) {
    if (step.fresh === null) await saying(step, () => files.remove(step.path));
  }
  for (const folder of folders) await makeFolder(folder, files);
  for (const step of steps) {
    const { fresh, path } = step;
    if (fresh !== null) await saying(step, () => files.rename(fresh, path));
  }
  await syncFolders([...folders, ...steps.map(({ path }) => path)], files);
}

async function save({ path, found, saved }: Step, files: DurableFiles): Promise<void> {
  if (saved === null || !found) return;
  try {
    await files.link(path, saved);
  } catch (error) {
    if (found.kind !== "file" || !CANNOT_LINK.has(systemCode(error) ?? "")) throw error;
    const bytes = await files.read(path);
    await files.create(saved, () => [bytes], found.mode & 0o777);
  }
}

/** Some file systems have no second names, some kernels protect files of others from them. */
const CANNOT_LINK = new Set(["EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function createFresh({ file, found, fresh }: Step, files: DurableFiles): Promise<void> {
  if (!file || fresh === null) return;
  await files.create(fresh, file.content, file.mode === null ? null : file.mode & 0o777);
  if (found?.kind !== "file") return;
  await files.setOwner(fresh, found.uid, found.gid).catch((error) => {
    if (systemCode(error) !== "EPERM") throw error;
  });
}

async function expectUntouched({ path, found }: Step, files: DurableFiles): Promise<void> {
  const now = await statOrNull(files, path);
  if (sameContent(now, found)) return;
  const message = `${path} was changed by others while the patch was applied`;
  throw new PatchApplyError(message, path, { rule: "patch-atomic" });
}

function sameContent(now: FileStat | null, found: FileStat | null): boolean {
  if (!now || !found) return now === found;
  return (
    now.identity === found.identity && now.modified === found.modified && now.bytes === found.bytes
  );
}

async function makeFolder(path: string, files: DurableFiles): Promise<void> {
  try {
    await files.makeFolders(path);
  } catch (cause) {
    const message = `Failed to create parent directories for ${path}`;
    throw new PatchApplyError(message, path, { rule: "patch-write", cause });
  }
}

async function saying(step: Step, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof PatchApplyError) throw cause;
    const message = `${step.file ? "Failed to write file" : "Failed to delete file"} ${step.path}`;
    throw new PatchApplyError(message, step.path, { rule: "patch-write", cause });
  }
}

async function syncFolders(paths: readonly (string | null)[], files: DurableFiles): Promise<void> {
  const folders = new Set(paths.flatMap((path) => (path === null ? [] : [posix.dirname(path)])));
  await inParallel([...folders], (folder) => files.syncFolder(folder));
}

import { dirname } from "node:path";
import { AGENT_FOLDER } from "../../contract/constants.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import { HOME } from "./agent-config.ts";
import type { Plan } from "./container.ts";
import type { Engine, PathStat } from "./engine.ts";
import { type TarEntry, tarOf } from "./tar.ts";

/** Folders that are the kernel's or ours, so that no workspace can be there. */
const TAKEN = ["/dev", "/proc", "/sys", AGENT_FOLDER];
/** Folders that every program relies on, so that they cannot be given to the user as a whole. */
const SYSTEM = ["/", "/bin", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"];
const ROOT = { uid: 0, gid: 0 };

/**
 * Makes home, workspace and `/tmp` in a container, with the right owners: through the engine, which can
 * give folders away to an ordinary user in any image. To be done before any command has run there.
 * @throws `validation-failed` the workspace cannot be where the spec wants it
 */
export async function makeFolders(
  engine: Engine,
  id: string,
  plan: Plan,
  wait: WaitOptions,
): Promise<void> {
  const { workspace } = plan.identity.spec;
  const paths = [...new Set(["/tmp", ...withParents(HOME), ...withParents(workspace)])];
  const stats = new Map(
    await Promise.all(
      paths.map(async (path) => [path, await engine.statPath(id, path, wait)] as const),
    ),
  );
  if (stats.get(workspace)?.isFolder === false) throw notFolder(workspace);
  await engine.putFiles(id, "/", tarOf(folders(plan, paths, stats)), wait);
}

/** @throws `validation-failed` no container can have its workspace there */
export function checkWorkspace(workspace: string): void {
  const isTaken = TAKEN.some((path) => workspace === path || workspace.startsWith(`${path}/`));
  if (!SYSTEM.includes(workspace) && !isTaken) return;
  throw new OutworkError(
    "validation-failed",
    `The workspace cannot be ${workspace}: it must be a folder of its own, not one of ` +
      `${SYSTEM.join(", ")}, and not in ${TAKEN.join(", ")}.`,
  );
}

function notFolder(workspace: string): OutworkError {
  return new OutworkError(
    "validation-failed",
    `The workspace cannot be ${workspace}: the image has something there that is not a folder.`,
  );
}

/**
 * Looks at where the agent's own folder goes: a link there would lead its mounts elsewhere.
 * @throws `validation-failed` the image has something there that is not a folder
 */
export async function refuseTakenFolder(
  engine: Engine,
  id: string,
  { image }: Plan,
  wait: WaitOptions,
): Promise<void> {
  const stat = await engine.statPath(id, AGENT_FOLDER, wait);
  if (stat === null || stat.isFolder) return;
  throw new OutworkError(
    "validation-failed",
    `The image ${image.name} cannot be used: it has something at ${AGENT_FOLDER} that is not a folder.`,
  );
}

/** Folder and parents below the root, outermost first. */
function withParents(path: string): string[] {
  return path === "/" ? [] : [...withParents(dirname(path)), path];
}

/** What the image has is left alone, but that home and workspace are the user's, and `/tmp` anyone's. */
function folders(
  { ids, identity }: Plan,
  paths: readonly string[],
  stats: ReadonlyMap<string, PathStat | null>,
): TarEntry[] {
  const own = [HOME, identity.spec.workspace];
  return paths.flatMap((path) => {
    const stat = stats.get(path) ?? null;
    const entry = { path: `${path.slice(1)}/` };
    if (own.includes(path)) return [{ ...entry, mode: 0o755, ...ids }];
    if (path === "/tmp")
      return stat?.isFolder === false ? [] : [{ ...entry, mode: 0o1777, ...ROOT }];
    return stat === null ? [{ ...entry, mode: 0o755, ...ROOT }] : [];
  });
}

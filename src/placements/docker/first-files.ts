import { dirname } from "node:path";
import { AGENT_FOLDER } from "../../contract/constants.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import { agentConfig, HOME } from "./agent-config.ts";
import { CONFIG_FILE, type Plan, RUN_FOLDER } from "./container.ts";
import type { Engine, PathStat } from "./engine.ts";
import { type TarEntry, tarOf } from "./tar.ts";

/** Folders that are the kernel's or ours, so that no workspace can be there. */
const TAKEN = ["/dev", "/proc", "/sys", AGENT_FOLDER];
const ROOT = { uid: 0, gid: 0 };

/**
 * Puts the agent's configuration and the folders of its user into a container that has not started:
 * through the engine, which can give them away to an ordinary user in any image.
 * @throws `validation-failed` the workspace cannot be where the spec wants it
 */
export async function putFirstFiles(
  engine: Engine,
  id: string,
  plan: Plan,
  wait: WaitOptions,
): Promise<void> {
  const { workspace } = plan.identity.spec;
  checkWorkspace(workspace);
  const paths = [...new Set(["/tmp", ...withParents(HOME), ...withParents(workspace)])];
  const stats = new Map(
    await Promise.all(
      paths.map(async (path) => [path, await engine.statPath(id, path, wait)] as const),
    ),
  );
  if (stats.get(workspace)?.isFolder === false) throw notFolder(workspace);
  await engine.putFiles(
    id,
    "/",
    tarOf([...folders(plan, paths, stats), ...agentFiles(plan)]),
    wait,
  );
}

function checkWorkspace(workspace: string): void {
  const isTaken = TAKEN.some((path) => workspace === path || workspace.startsWith(`${path}/`));
  if (workspace !== "/" && !isTaken) return;
  throw new OutworkError(
    "validation-failed",
    `the workspace cannot be ${workspace}: it must be a folder below /, and not in ${TAKEN.join(", ")}`,
  );
}

function notFolder(workspace: string): OutworkError {
  return new OutworkError(
    "validation-failed",
    `the workspace cannot be ${workspace}: the image has something there that is not a folder`,
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

function agentFiles(plan: Plan): TarEntry[] {
  const { ids } = plan;
  const text = JSON.stringify(agentConfig(plan));
  return [
    { path: `${AGENT_FOLDER.slice(1)}/`, mode: 0o700, ...ids },
    { path: CONFIG_FILE.slice(1), mode: 0o600, ...ids, content: { text } },
    ...(plan.socketFolder === null
      ? [{ path: `${RUN_FOLDER.slice(1)}/`, mode: 0o700, ...ids }]
      : []),
  ];
}

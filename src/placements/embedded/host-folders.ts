import { existsSync, realpathSync } from "node:fs";
import type { Layout } from "../../contract/agent.ts";
import { isWithin } from "../../policy/index.ts";

/**
 * What of the host its environments see, read-only: programs and their configuration. Nothing that
 * holds people's files, other environments, sockets of services or the service's own state.
 */
export const SYSTEM_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
];

type Mounts = Layout["mounts"];

export function systemFolders(): string[] {
  return SYSTEM_FOLDERS.filter((folder) => existsSync(folder));
}

/** Name resolution often lives behind a link into `/run`, which environments do not see. */
export function resolverMount(): Mounts {
  const file = "/etc/resolv.conf";
  if (!existsSync(file)) return [];
  const source = realpathSync(file);
  if (SYSTEM_FOLDERS.some((folder) => isWithin(source, folder))) return [];
  return [{ source, target: source, writable: false }];
}

import { createHash } from "node:crypto";
import { join } from "node:path";

/** Longest path of a Unix socket, in bytes. @see unix(7) */
const MAX_SOCKET_PATH = 107;

/** Where one environment keeps its things, all below the state folder. */
export interface EnvironmentFolders {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly tmp: string;
  /** Holds the agent's socket. Named by a hash, since socket paths are short. */
  readonly run: string;
  readonly socket: string;
  readonly spec: string;
  readonly agentConfig: string;
  readonly agentLog: string;
  /** What identifies the running agent; written once it has answered. */
  readonly record: string;
}

export function environmentsFolder(stateFolder: string): string {
  return join(stateFolder, "environments");
}

export function foldersOf(stateFolder: string, environmentId: string): EnvironmentFolders {
  const root = join(environmentsFolder(stateFolder), environmentId);
  const name = createHash("sha256").update(environmentId).digest("hex").slice(0, 16);
  const run = join(stateFolder, "run", name);
  return {
    root,
    workspace: join(root, "workspace"),
    home: join(root, "home"),
    tmp: join(root, "tmp"),
    run,
    socket: join(run, "agent.sock"),
    spec: join(root, "spec.json"),
    agentConfig: join(run, "agent.json"),
    agentLog: join(root, "agent.log"),
    record: join(root, "agent-record.json"),
  };
}

/** Whether the agents' sockets would have paths that the kernel takes. */
export function socketsFit(stateFolder: string): boolean {
  return Buffer.byteLength(foldersOf(stateFolder, "x").socket) <= MAX_SOCKET_PATH;
}

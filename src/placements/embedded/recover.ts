import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { AgentConfig } from "../../contract/agent.ts";
import { EnvironmentSpec } from "../../contract/environment.ts";
import { AgentRecord } from "./agent-handle.ts";
import { type EnvironmentFolders, environmentsFolder, foldersOf } from "./folders.ts";
import { removeTree } from "./remove-tree.ts";

/** An environment that an earlier run of the service left on the disk. */
export interface Left {
  readonly spec: EnvironmentSpec;
  readonly record: AgentRecord;
  readonly folders: EnvironmentFolders;
}

/** What is in the state folder. A launch that never got as far as its record is cleared away. */
export async function leftEnvironments(stateFolder: string, owner: string): Promise<Left[]> {
  const parent = environmentsFolder(stateFolder);
  if (!existsSync(parent)) return [];
  const left: Left[] = [];
  for (const id of readdirSync(parent)) {
    const folders = foldersOf(stateFolder, id);
    if (!existsSync(folders.record)) await clear(folders);
    else if (ownerOf(folders) === owner) left.push(read(folders));
  }
  return left;
}

function read(folders: EnvironmentFolders): Left {
  return {
    spec: EnvironmentSpec.parse(readJson(folders.spec)),
    record: AgentRecord.parse(readJson(folders.record)),
    folders,
  };
}

function ownerOf(folders: EnvironmentFolders): string | null {
  return existsSync(folders.agentConfig)
    ? AgentConfig.parse(readJson(folders.agentConfig)).owner
    : null;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

async function clear(folders: EnvironmentFolders): Promise<void> {
  await rm(folders.run, { recursive: true, force: true });
  await removeTree(folders.root);
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EnvironmentSpec } from "../../contract/environment.ts";
import { AgentRecord } from "./agent-handle.ts";
import { type Claim, claimIn, isHeld } from "./claim.ts";
import { type EnvironmentFolders, environmentsFolder, foldersOf } from "./folders.ts";

/** What an earlier run of the service left on the disk. */
export type Left =
  | {
      readonly kind: "environment";
      readonly spec: EnvironmentSpec;
      readonly record: AgentRecord;
      readonly folders: EnvironmentFolders;
    }
  /** A launch that was cut off. */
  | {
      readonly kind: "half-built";
      readonly id: string;
      readonly claim: Claim;
      readonly folders: EnvironmentFolders;
    }
  /** Ours, and not to be understood any more. */
  | { readonly kind: "unreadable"; readonly id: string; readonly error: unknown };

/** What is in the state folder and carries this owner's claim. */
export function leftBehind(stateFolder: string, owner: string): Left[] {
  const parent = environmentsFolder(stateFolder);
  return readdirSync(parent).flatMap((id) => {
    const claim = claimIn(join(parent, id));
    return claim?.owner === owner ? read(id, claim, foldersOf(stateFolder, id)) : [];
  });
}

function read(id: string, claim: Claim, folders: EnvironmentFolders): Left[] {
  if (!existsSync(folders.record)) {
    // It may be under way at this very moment.
    return isHeld(claim) ? [] : [{ kind: "half-built", id, claim, folders }];
  }
  try {
    const spec = EnvironmentSpec.parse(readJson(folders.spec));
    const record = AgentRecord.parse(readJson(folders.record));
    return [{ kind: "environment", spec, record, folders }];
  } catch (error) {
    return [{ kind: "unreadable", id, error }];
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

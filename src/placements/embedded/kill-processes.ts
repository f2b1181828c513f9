import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentFolders } from "./folders.ts";
import { processesNaming, processesOf, processesWith } from "./host-processes.ts";
import { type EnvironmentUser, isOwnUser } from "./users.ts";

/** Between two looks for processes that are being killed. */
const STEP_MS = 10;

/**
 * Kills an environment's agent and whatever its commands left; resolves when none is left. They are
 * known by a user that is theirs alone, or else by the files that they see and the agent by its
 * configuration.
 */
export async function killProcesses(
  user: EnvironmentUser,
  folders: EnvironmentFolders,
): Promise<void> {
  const left = () =>
    isOwnUser(user)
      ? processesOf(user.uid)
      : [...processesNaming(folders.agentConfig), ...processesWith(folders.root)];
  for (let pids = left(); pids.length > 0; pids = left()) {
    for (const pid of pids) killQuietly(pid);
    await sleep(STEP_MS);
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

import type { AgentConfig, Hello } from "../contract/agent.ts";
import { VERSION } from "../version.ts";

const startedAt = new Date().toISOString();

/** Who this agent is, for a service that wants to know whether it is its own. */
export function helloOf({ environment_id, owner }: AgentConfig): Hello {
  return { environment_id, owner, version: VERSION, pid: process.pid, started_at: startedAt };
}

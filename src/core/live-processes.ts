import type { Process } from "../contract/index.ts";
import type { AgentLink } from "./agent-link.ts";

/** How long an agent may take to say what it runs before it counts as away. */
export const ANSWER_MS = 2_000;

/** What an agent runs, or null when it does not say so before `signal` fires. */
export async function listProcesses(
  agent: AgentLink,
  signal: AbortSignal,
): Promise<readonly Process[] | null> {
  try {
    const { processes } = await agent.call("outwork/process/list", {}, { signal });
    return processes;
  } catch {
    return null;
  }
}

/** An exited process whose output is still open has left something running behind it. */
export function isLive({ state }: Process): boolean {
  return state.kind !== "closed";
}

/** When the last of these ended, in epoch milliseconds; 0 if none has. */
export function lastExitAt(processes: readonly Process[]): number {
  return processes.reduce((latest, { state }) => {
    return state.kind === "running" ? latest : Math.max(latest, Date.parse(state.exited_at));
  }, 0);
}

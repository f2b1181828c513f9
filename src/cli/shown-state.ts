import type { EnvironmentState } from "../contract/environment.ts";

/** The state of an environment in a few words. */
export function shownState(state: EnvironmentState): string {
  return "reason" in state ? `${state.kind}: ${state.reason}` : state.kind;
}

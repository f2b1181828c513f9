import type { ApplyTurnPatch, TurnPatchResult } from "../contract/index.ts";
import type { WaitOptions } from "../core/agent-link.ts";
import type { Environments } from "../core/environments.ts";
import { patchOrNull } from "../patch/read/stream.ts";
import { chooseEnvironment } from "../tools/environment.ts";

/**
 * Applies a patch in the environment that it names, or else in the first. A turn of one environment
 * has nothing to choose from: there a patch that names any is refused.
 * @throws `tool-failed` the patch names an environment that is not of the turn
 */
export async function applyTurnPatch(
  environments: Environments,
  { environments: ids, ...patch }: ApplyTurnPatch,
  options: WaitOptions,
): Promise<TurnPatchResult> {
  const [first = "", ...others] = ids;
  const hasChoice = others.length > 0;
  // What is wrong with a patch is for the tool to say.
  const named = hasChoice ? (patchOrNull(patch.patch)?.environment ?? null) : null;
  const environment_id = chooseEnvironment(named, [first, ...others]);
  const environment = environments.get(environment_id);
  const asked = {
    ...patch,
    policy: environment.resolvePolicy(patch.policy),
    environment_line: hasChoice ? ("ignored" as const) : ("refused" as const),
  };
  return { ...(await environment.call("outwork/apply_patch", asked, options)), environment_id };
}

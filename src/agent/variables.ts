import type { AgentConfig } from "../contract/agent.ts";
import type { Variables } from "../contract/ids.ts";
import type { EffectivePolicy } from "../contract/policy.ts";
import { mayWrite } from "../policy/paths.ts";

/** Where programs put temporary files when `TMPDIR` does not say. */
const SHARED_TEMP = "/tmp";
/** Always writable, private to one command and gone with it. */
const PRIVATE_TEMP = "/dev/shm";

/**
 * The variables of one command: the environment's own, then the caller's. A command that may not write
 * where temporary files go gets a private folder for them, so that compilers and shells work under
 * every policy; a caller who names a folder is taken at his word.
 */
export function sandboxVariables(
  config: AgentConfig,
  policy: EffectivePolicy,
  own: Variables,
): Variables {
  const variables = { ...config.variables, ...own };
  const temp = variables.TMPDIR ?? SHARED_TEMP;
  if (own.TMPDIR !== undefined || mayWrite(policy, temp)) return variables;
  return { ...variables, TMPDIR: PRIVATE_TEMP };
}

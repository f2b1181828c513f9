import type { AgentConfig } from "../contract/agent.ts";
import type { Variables } from "../contract/ids.ts";
import type { EffectivePolicy } from "../contract/policy.ts";

/** Always writable, private to one command and gone with it. */
const PRIVATE_TEMP = "/dev/shm";

/**
 * The variables of one command: the environment's own, then the caller's. A command that may not write
 * `/tmp` gets a private temporary folder, so that compilers and shells work under every policy.
 */
export function sandboxVariables(
  config: AgentConfig,
  policy: EffectivePolicy,
  own: Variables | undefined,
): Variables {
  const base =
    policy.files.write === "all" || policy.files.write.length > 0
      ? config.variables
      : { ...config.variables, TMPDIR: PRIVATE_TEMP };
  return { ...base, ...own };
}

import { type PolicyRequest, Preset } from "../contract/policy.ts";
import { choice } from "./choice.ts";
import type { Flags, FlagValues } from "./command.ts";

/** Flags that ask for a policy. */
export const POLICY_FLAGS = {
  policy: { value: "PRESET", help: `One of ${Preset.options.join(", ")}.` },
  network: { value: "on|off", help: "Whether commands may use the network." },
  "writable-root": {
    value: "PATH",
    many: true,
    help: "One more folder that commands may write. May be repeated.",
  },
} as const satisfies Flags;

/** What the flags ask for; undefined when they ask for nothing. */
export function policyRequest(flags: FlagValues<typeof POLICY_FLAGS>): PolicyRequest | undefined {
  const { policy, network, "writable-root": roots } = flags;
  if (policy === undefined && network === undefined && roots.length === 0) return undefined;
  const switched = choice("--network", network, ["on", "off"]);
  return {
    preset: choice("--policy", policy ?? "workspace-write", Preset.options),
    ...(switched === undefined ? {} : { network_access: switched === "on" }),
    ...(roots.length === 0 ? {} : { writable_roots: [...roots] }),
  };
}

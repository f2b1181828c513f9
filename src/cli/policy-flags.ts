import { type PolicyRequest, Preset } from "../contract/policy.ts";
import type { Flags, FlagValues } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** Flags that ask for a policy. */
export const POLICY_FLAGS = {
  policy: { value: "PRESET", help: `Policy to start from: ${Preset.options.join(", ")}.` },
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
  const preset = Preset.safeParse(policy ?? "workspace-write");
  if (!preset.success) {
    throw new UsageError(`--policy is one of ${Preset.options.join(", ")}, not \`${policy}\``);
  }
  return {
    preset: preset.data,
    ...(network === undefined ? {} : { network_access: isOn(network) }),
    ...(roots.length === 0 ? {} : { writable_roots: [...roots] }),
  };
}

function isOn(network: string): boolean {
  if (network !== "on" && network !== "off") {
    throw new UsageError(`--network is \`on\` or \`off\`, not \`${network}\``);
  }
  return network === "on";
}

import type { EffectivePolicy } from "../../src/contract/policy.ts";

export const PROTECTED_NAMES = [".agents", ".aws", ".codex", ".git"];

/** `workspace-write` over these roots, network off. */
export function writing(...roots: string[]): EffectivePolicy {
  return {
    preset: "workspace-write",
    files: { write: roots.sort(), protected_names: PROTECTED_NAMES },
    network: "off",
  };
}

export const WORKSPACE_WRITE = writing("/workspace", "/tmp");

export const READ_ONLY: EffectivePolicy = {
  preset: "read-only",
  files: { write: [], protected_names: PROTECTED_NAMES },
  network: "off",
};

export const FULL_ACCESS: EffectivePolicy = {
  preset: "danger-full-access",
  files: { write: "all", protected_names: [] },
  network: "on",
};

export function withNetwork(policy: EffectivePolicy): EffectivePolicy {
  return { ...policy, network: "on" };
}

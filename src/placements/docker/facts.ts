import { z } from "zod";
import type { Limits } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import type { Engine } from "./engine.ts";

/** What an engine says of itself, as far as it decides anything here. */
const Facts = z.object({
  ServerVersion: z.string().default("unknown"),
  OperatingSystem: z.string().default("unknown"),
  Architecture: z.string(),
  CgroupVersion: z.string().default("1"),
  SecurityOptions: z.array(z.string()).nullish(),
  MemoryLimit: z.boolean().default(false),
  PidsLimit: z.boolean().default(false),
  CpuCfsQuota: z.boolean().default(false),
});
export type Facts = z.infer<typeof Facts>;

const ARCHITECTURES: Readonly<Record<string, readonly string[]>> = {
  x64: ["x86_64", "amd64"],
  arm64: ["aarch64", "arm64"],
};

export async function readFacts(engine: Engine, wait: WaitOptions): Promise<Facts> {
  return Facts.parse(await engine.describe(wait));
}

/** Is this among the engine's security options (`seccomp`, `apparmor`, `rootless`, `userns`, …)? */
export function hasOption({ SecurityOptions }: Facts, name: string): boolean {
  return (SecurityOptions ?? []).some((option) => option.split(",")[0] === `name=${name}`);
}

/** Programs of this host run in containers of that engine only when both are the same machine kind. */
export function sameArchitecture({ Architecture }: Facts): boolean {
  return ARCHITECTURES[process.arch]?.includes(Architecture) ?? false;
}

/** Can the engine see this host's files, and may an agent and we share a socket there? */
export function sharesFiles(facts: Facts): boolean {
  // There the container's user is not the host's of that number, or is kept from its files.
  return !["rootless", "userns", "selinux"].some((name) => hasOption(facts, name));
}

/** @throws `enforcement-missing` naming the limits that this engine does not enforce */
export function checkLimits(limits: Limits, facts: Facts): void {
  const missing = [
    limits.memory_bytes !== undefined && !facts.MemoryLimit ? "memory_bytes" : [],
    limits.pids !== undefined && !facts.PidsLimit ? "pids" : [],
    limits.cpus !== undefined && !facts.CpuCfsQuota ? "cpus" : [],
  ].flat();
  if (missing.length === 0) return;
  throw new OutworkError(
    "enforcement-missing",
    `The container engine does not enforce ${missing.join(", ")}: its kernel lacks the control group ` +
      "controllers for it; leave these limits out or use another engine.",
    { facts: { missing } },
  );
}

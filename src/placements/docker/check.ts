import type { WaitOptions } from "../../core/agent-link.ts";
import type { Check } from "../../core/placement.ts";
import { asError, OutworkError } from "../../errors.ts";
import { type Facts, hasOption, readFacts, sameArchitecture } from "./facts.ts";
import type { Parts } from "./parts.ts";

/** Looks at all that environments need of the engine. Never rejects. */
export async function checkEngine(parts: Parts, wait: WaitOptions): Promise<Check[]> {
  let facts: Facts;
  try {
    facts = await readFacts(parts.engine, wait);
  } catch (error) {
    return [missing("container engine", asError(error).message, ENGINE_FIX)];
  }
  return [
    engine(facts),
    architecture(facts),
    limits(facts),
    seccomp(facts),
    appArmor(facts),
    await sandbox(parts, wait),
  ];
}

const ENGINE_FIX =
  "Start the engine (`systemctl start docker`), let the service's user open its socket (group docker), " +
  "or name another one with DOCKER_HOST.";

function engine({ ServerVersion, OperatingSystem }: Facts): Check {
  return fine("container engine", `${ServerVersion} on ${OperatingSystem}`);
}

function architecture(facts: Facts): Check {
  const found = `${facts.Architecture} there, ${process.arch} here`;
  if (sameArchitecture(facts)) return fine("architecture", found);
  return missing("architecture", found, "Run the service on a host of the engine's architecture.");
}

function limits({ MemoryLimit, PidsLimit, CpuCfsQuota, CgroupVersion }: Facts): Check {
  const lacking = [
    MemoryLimit ? [] : "memory",
    PidsLimit ? [] : "pids",
    CpuCfsQuota ? [] : "cpu",
  ].flat();
  if (lacking.length === 0) return fine("limits", `memory, pids and cpu, cgroup v${CgroupVersion}`);
  const fix = "Enable these control group controllers on the engine's host, or set no such limits.";
  return missing("limits", `the engine does not enforce ${lacking.join(", ")}`, fix);
}

function seccomp(facts: Facts): Check {
  if (hasOption(facts, "seccomp")) return fine("seccomp", "the engine takes profiles");
  const fix = "Use an engine and a kernel with seccomp: environments do not start without.";
  return missing("seccomp", "the engine has none", fix);
}

/** Its own profile for containers forbids all mounts, and so every sandbox of a command. */
function appArmor(facts: Facts): Check {
  const found = hasOption(facts, "apparmor") ? "in use by the engine" : "not in use by the engine";
  return fine("AppArmor", found);
}

async function sandbox({ probe }: Parts, wait: WaitOptions): Promise<Check> {
  const name = "sandbox in a container";
  try {
    await probe.pass(wait);
    return fine(name, "bubblewrap makes every namespace, with a fresh /proc");
  } catch (error) {
    return missing(name, asError(error).message, sandboxFix(error));
  }
}

function sandboxFix(error: unknown): string {
  const { fix } = (error instanceof OutworkError ? error.facts : {}) as { fix?: string };
  return fix ?? "Mend what the engine says, then look again.";
}

function fine(name: string, found: string): Check {
  return { name, ok: true, found, fix: null };
}

function missing(name: string, found: string, fix: string): Check {
  return { name, ok: false, found, fix };
}

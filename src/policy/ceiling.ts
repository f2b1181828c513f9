import type { Ceiling, EffectivePolicy } from "../contract/policy.ts";
import { OutworkError } from "../errors.ts";

/**
 * Refuses an environment policy that is above the operator's ceiling. It is refused, not narrowed: an
 * environment whose commands would mysteriously fail helps nobody.
 * @throws `ceiling-exceeded` with `field`, what was asked and what is allowed
 */
export function refuseAboveCeiling(policy: EffectivePolicy, ceiling: Ceiling): void {
  if (!ceiling.presets.includes(policy.preset)) {
    throw exceeded("preset", policy.preset, ceiling.presets.join(", "));
  }
  if (policy.network === "on" && ceiling.network === "off") {
    throw exceeded("network_access", "on", "off");
  }
}

function exceeded(field: string, asked: string, allowed: string): OutworkError {
  return new OutworkError(
    "ceiling-exceeded",
    `policy.${field}: ${asked} was asked for; the operator's ceiling allows ${allowed}.`,
    { facts: { field: `policy.${field}`, asked, allowed } },
  );
}

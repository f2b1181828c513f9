import type { EffectivePolicy, Preset } from "../contract/policy.ts";
import { isWithin, mayWrite } from "./paths.ts";

/** Presets from the narrowest to the widest. */
const WIDTH: readonly Preset[] = [
  "read-only",
  "workspace-write",
  "external-sandbox",
  "danger-full-access",
];

type Files = EffectivePolicy["files"];

/**
 * What both policies allow. Never wider than either; an empty list of roots stays empty. Writing
 * everything is the neutral element: it protects no names.
 */
export function meet(a: EffectivePolicy, b: EffectivePolicy): EffectivePolicy {
  return {
    preset: narrower(a.preset, b.preset),
    files: meetFiles(a, b),
    network: a.network === "on" && b.network === "on" ? "on" : "off",
  };
}

function narrower(a: Preset, b: Preset): Preset {
  return WIDTH.indexOf(a) <= WIDTH.indexOf(b) ? a : b;
}

function meetFiles(a: EffectivePolicy, b: EffectivePolicy): Files {
  if (a.files.write === "all") return normal(b.files);
  if (b.files.write === "all") return normal(a.files);
  const common: string[] = [];
  for (const left of a.files.write) {
    for (const right of b.files.write) common.push(...inner(left, right));
  }
  return normal({
    write: common.filter((root) => mayWrite(a, root) && mayWrite(b, root)),
    protected_names: [...a.files.protected_names, ...b.files.protected_names],
  });
}

/** Of two folders the one inside the other, if any. */
function inner(left: string, right: string): string[] {
  if (isWithin(left, right)) return [left];
  return isWithin(right, left) ? [right] : [];
}

function normal({ write, protected_names }: Files): Files {
  if (write === "all") return { write, protected_names: [] };
  return { write: sorted(write), protected_names: sorted(protected_names) };
}

function sorted(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}

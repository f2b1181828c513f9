import type { EffectivePolicy, Preset, WritableFiles } from "../contract/policy.ts";
import { isWithin, mayWrite } from "./paths.ts";

/** Presets from the narrowest to the widest. */
const WIDTH: readonly Preset[] = [
  "read-only",
  "workspace-write",
  "external-sandbox",
  "danger-full-access",
] satisfies readonly (typeof Preset.options)[number][];

/** What both policies allow. Never wider than either; an empty list of roots stays empty. */
export function meet(a: EffectivePolicy, b: EffectivePolicy): EffectivePolicy {
  return {
    preset: narrower(a.preset, b.preset),
    files: {
      write: meetFiles(a, b),
      protected_names: sorted([...a.files.protected_names, ...b.files.protected_names]),
    },
    network: a.network === "on" && b.network === "on" ? "on" : "off",
  };
}

function narrower(a: Preset, b: Preset): Preset {
  return WIDTH.indexOf(a) <= WIDTH.indexOf(b) ? a : b;
}

function meetFiles(a: EffectivePolicy, b: EffectivePolicy): WritableFiles {
  if (a.files.write === "all") return copyOf(b.files.write);
  if (b.files.write === "all") return copyOf(a.files.write);
  const common: string[] = [];
  for (const left of a.files.write) {
    for (const right of b.files.write) common.push(...inner(left, right));
  }
  return sorted(common.filter((root) => mayWrite(a, root) && mayWrite(b, root)));
}

/** Of two folders the one inside the other, if any. */
function inner(left: string, right: string): string[] {
  if (isWithin(left, right)) return [left];
  return isWithin(right, left) ? [right] : [];
}

function copyOf(write: WritableFiles): WritableFiles {
  return write === "all" ? "all" : sorted(write);
}

function sorted(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}

import type { EffectivePolicy } from "../contract/policy.ts";

/** Whether `path` is `root` or below it. Both are absolute and normal; compared by segment. */
export function isWithin(path: string, root: string): boolean {
  return path === root || root === "/" || path.startsWith(`${root}/`);
}

/** The first segment of `path` below `root`, or null when `path` is `root` itself. */
function segmentBelow(path: string, root: string): string | null {
  if (path === root) return null;
  const below = path.slice(root === "/" ? 1 : root.length + 1);
  return below.split("/", 1)[0] ?? null;
}

/**
 * Whether a policy lets a command write `path`. The longest root that holds it decides, so a root
 * that names a protected folder itself lifts the protection. For explanations and for the meet; the
 * kernel, not this answer, is the guard.
 */
export function mayWrite(policy: Pick<EffectivePolicy, "files">, path: string): boolean {
  const { write, protected_names } = policy.files;
  if (write === "all") return true;
  const roots = write.filter((root) => isWithin(path, root));
  const root = roots.sort((a, b) => b.length - a.length)[0];
  if (root === undefined) return false;
  const segment = segmentBelow(path, root);
  return segment === null || !protected_names.includes(segment);
}

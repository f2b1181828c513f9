import { basename, dirname } from "node:path";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type { SandboxContext, SandboxEntry } from "../params/sandbox.ts";
import { entriesOf, type PlaceRules, type Places, pathsOf, placesOf } from "./places.ts";
import { SandboxRefusal } from "./refusal.ts";
import { deepestHolding } from "./roots.ts";

/** Direct children of every writable root that stay read-only, mentioned or not. */
export const PROTECTED_NAMES: readonly string[] = [".git", ".agents", ".codex", ".aws"];

/** As wide as the environment allows: nothing is narrowed here. */
const WIDEST: EffectivePolicy = {
  preset: "danger-full-access",
  files: { write: "all", protected_names: [] },
  network: "on",
};

interface Grant {
  readonly path: string;
  readonly access: "read" | "write";
  /** The request does not mind when the path does not exist. */
  readonly skippable: boolean;
}

/**
 * The policy that a `sandbox` object asks for, in the words of this executor. What cannot be said in
 * them is refused, never loosened. `exists` tells about paths that count only if they exist.
 * @throws SandboxRefusal
 */
export function requestedPolicy(
  context: SandboxContext | null,
  rules: PlaceRules,
  exists: (path: string) => boolean,
): EffectivePolicy {
  if (context === null) return WIDEST;
  refuseOtherSystems(context);
  const places = placesOf(context, rules);
  const { permissions } = context;
  if (permissions.is === "disabled") return WIDEST;
  const network = permissions.network === "enabled" ? "on" : "off";
  if (permissions.is === "external") return { ...WIDEST, preset: "external-sandbox", network };
  if (permissions.file_system.is === "unrestricted") return { ...WIDEST, network };
  const grants = entriesOf(context).flatMap((entry) => grantsOf(entry, places));
  return { ...filePolicy(context, grants, exists), network };
}

/** Paths whose existence decides whether the request can be granted. */
export function decisivePaths(context: SandboxContext | null, rules: PlaceRules): string[] {
  if (context === null) return [];
  const places = placesOf(context, rules);
  const grants = entriesOf(context).flatMap((entry) => grantsOf(entry, places));
  const roots = writableRoots(grants);
  return grants.filter((grant) => grant.skippable && carves(grant, roots)).map(({ path }) => path);
}

function refuseOtherSystems({ windowsSandboxLevel }: SandboxContext): void {
  if (windowsSandboxLevel !== "mxc") return;
  throw new SandboxRefusal("unavailable", "native MXC is unavailable on this executor");
}

function grantsOf(entry: SandboxEntry, places: Places): Grant[] {
  const { access } = entry;
  const paths = pathsOf(entry, places);
  if (access === "read" || access === "write") {
    const skippable = entry.missing_path_behavior === "skip";
    return paths.map((path) => ({ path, access, skippable }));
  }
  const denied = entry.path.is === "glob_pattern" ? entry.path.pattern : paths[0];
  if (denied === undefined) return [];
  const reason = `denied paths cannot be enforced here, and '${denied}' is one; reading is allowed everywhere or not at all`;
  throw new SandboxRefusal("inexpressible", reason);
}

function filePolicy(
  { useLegacyLandlock }: SandboxContext,
  grants: readonly Grant[],
  exists: (path: string) => boolean,
): Omit<EffectivePolicy, "network"> {
  if (useLegacyLandlock) {
    const reason =
      "filesystem-restricted execution requires bubblewrap to isolate app-server sockets";
    throw new SandboxRefusal("inexpressible", reason);
  }
  requireReadableRoot(grants);
  const roots = writableRoots(grants);
  const carved = grants.find(
    (grant) => carves(grant, roots) && !(grant.skippable && !exists(grant.path)),
  );
  if (carved !== undefined) throw carvedOut(carved.path);
  if (roots.includes("/")) return WIDEST;
  const preset = roots.length === 0 ? "read-only" : "workspace-write";
  return { preset, files: { write: roots, protected_names: [...PROTECTED_NAMES] } };
}

function requireReadableRoot(grants: readonly Grant[]): void {
  if (grants.some(({ path }) => path === "/")) return;
  const reason = "restricted reading cannot be enforced here; an entry must let `root` be read";
  throw new SandboxRefusal("inexpressible", reason);
}

function writableRoots(grants: readonly Grant[]): string[] {
  return [...new Set(grants.filter(({ access }) => access === "write").map(({ path }) => path))];
}

/** Does this entry make something read-only that the writable roots would not protect anyway? */
function carves({ path, access }: Grant, roots: readonly string[]): boolean {
  if (access === "write" || path === "/" || roots.includes(path)) return false;
  if (roots.includes("/")) return true;
  const root = deepestHolding(roots, path);
  if (root === undefined) return false;
  return dirname(path) !== root || !PROTECTED_NAMES.includes(basename(path));
}

function carvedOut(path: string): SandboxRefusal {
  const names = PROTECTED_NAMES.join(", ");
  return new SandboxRefusal(
    "inexpressible",
    `'${path}' cannot be kept read-only inside a writable root; only ${names} directly in it can`,
  );
}

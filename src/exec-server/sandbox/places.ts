import type { SandboxContext, SandboxEntry, SpecialPath } from "../params/sandbox.ts";
import { fitsHost, type PathUri } from "../path-uri.ts";
import { SandboxRefusal } from "./refusal.ts";
import { hostPath, joined } from "./roots.ts";

/** Starts must fit this host in every place they name; file calls only where their entries lead. */
export interface PlaceRules {
  readonly call: "start" | "file";
  /** `$TMPDIR` of the command, or of the executor for file calls. */
  readonly tmpdir: string | null;
}

/** What the words of a request stand for on this host. */
export interface Places extends PlaceRules {
  readonly workspaceRoots: readonly string[];
}

export function placesOf(context: SandboxContext, rules: PlaceRules): Places {
  const { cwd, workspaceRoots } = context.policyContext ?? context;
  if (rules.call === "start") {
    if (cwd !== null) hostPath(cwd, "policy cwd");
    return { ...rules, workspaceRoots: workspaceRoots.map(workspaceRoot) };
  }
  if (cwd === null && needsCwd(context)) {
    const reason = "file system sandbox context with dynamic permissions requires cwd";
    throw new SandboxRefusal("needsCwd", reason);
  }
  return { ...rules, workspaceRoots: workspaceRoots.filter(fitsHost).map(workspaceRoot) };
}

function workspaceRoot(uri: PathUri): string {
  return hostPath(uri, "workspace root");
}

export function entriesOf({ permissions }: SandboxContext): readonly SandboxEntry[] {
  if (permissions.is !== "managed" || permissions.file_system.is !== "restricted") return [];
  return permissions.file_system.entries;
}

function needsCwd(context: SandboxContext): boolean {
  return entriesOf(context).some(({ path }) => {
    if (path.is === "glob_pattern") return !path.pattern.startsWith("/");
    return path.is === "special" && isProjectRoots(path.value);
  });
}

function isProjectRoots({ is }: SpecialPath): boolean {
  return is === "project_roots" || is === "current_working_directory";
}

/** The paths that an entry is about: none for what does not exist here. */
export function pathsOf({ path }: SandboxEntry, places: Places): readonly string[] {
  if (path.is === "special") return specialPaths(path.value, places);
  if (path.is === "glob_pattern") return [];
  return [hostPath(path.path, places.call === "start" ? "permission path" : "permission path URI")];
}

function specialPaths(special: SpecialPath, { workspaceRoots, tmpdir }: Places): readonly string[] {
  switch (special.is) {
    case "root":
      return ["/"];
    case "slash_tmp":
      return ["/tmp"];
    case "tmpdir":
      return tmpdir?.startsWith("/") ? [joined("/", trimmed(tmpdir))] : [];
    case "current_working_directory":
      return workspaceRoots;
    case "project_roots": {
      const { subpath } = special;
      return subpath === null ? workspaceRoots : workspaceRoots.map((at) => joined(at, subpath));
    }
    case "minimal":
    case "unknown":
      return [];
  }
}

function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

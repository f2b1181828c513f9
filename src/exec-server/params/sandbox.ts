import { boolean, list, mapped, string, unsigned } from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import { defaulted, oneOf, optional, required, struct, tagged } from "../decode-shape.ts";
import { pathUri } from "../path-uri.ts";

/** Places that the executor knows and the client does not. */
const specialPath = tagged("FileSystemSpecialPath", "kind", {
  root: struct("Root", {}),
  minimal: struct("Minimal", {}),
  current_working_directory: struct("CurrentWorkingDirectory", {}),
  project_roots: struct("ProjectRoots", { subpath: optional(string) }),
  tmpdir: struct("Tmpdir", {}),
  slash_tmp: struct("SlashTmp", {}),
  unknown: struct("Unknown", { path: required(string) }),
});
export type SpecialPath = ReturnType<typeof specialPath>;

const entryPath = tagged("FileSystemPath", "type", {
  path: struct("Path", { path: required(pathUri) }),
  glob_pattern: struct("GlobPattern", { pattern: required(string) }),
  special: struct("Special", { value: required(specialPath) }),
});

const entry = struct("FileSystemSandboxEntry", {
  path: required(entryPath),
  access: required(oneOf("read", "write", "deny", "none")),
  missing_path_behavior: optional(oneOf("skip")),
});
export type SandboxEntry = ReturnType<typeof entry>;

const nonZero = mapped(unsigned("usize"), (depth) => {
  if (depth === 0n) {
    throw new DecodeError("invalid value: integer `0`, expected a nonzero usize");
  }
  return depth;
});

const fileSystem = tagged("ManagedFileSystemPermissions", "type", {
  restricted: struct("Restricted", {
    entries: required(list(entry)),
    glob_scan_max_depth: optional(nonZero),
  }),
  unrestricted: struct("Unrestricted", {}),
});

const network = oneOf("restricted", "enabled");

const permissions = tagged("ExecPermissionProfile", "type", {
  managed: struct("Managed", { file_system: required(fileSystem), network: required(network) }),
  disabled: struct("Disabled", {}),
  external: struct("External", { network: required(network) }),
});

const policyContext = struct("SandboxPolicyContext", {
  cwd: optional(pathUri),
  workspaceRoots: optional(list(pathUri), []),
});

/** The `sandbox` member of starts and file calls. What `permissions` holds is spelled snake_case. */
export const sandboxContext = struct("FileSystemSandboxContext", {
  permissions: required(permissions),
  cwd: optional(pathUri),
  workspaceRoots: defaulted(list(pathUri), []),
  policyContext: optional(policyContext),
  windowsSandboxLevel: required(oneOf("disabled", "restricted-token", "elevated", "mxc")),
  windowsSandboxProxySettingsMode: optional(oneOf("reconcile", "preserve")),
  useLegacyLandlock: defaulted(boolean, false),
  userHomeDir: optional(pathUri),
  temporaryDirectories: optional(list(pathUri)),
  sandboxOverride: optional(
    oneOf("noOverride", "escalatedSandboxWithRestrictions", "bypassSandboxFirstAttempt"),
  ),
});
export type SandboxContext = ReturnType<typeof sandboxContext>;

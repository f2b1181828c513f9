/** The pieces of a `sandbox` object, as clients put them together. */

export function special(kind: string, more: object = {}): object {
  return { type: "special", value: { kind, ...more } };
}

export function path(uri: string): object {
  return { type: "path", path: uri };
}

export function entry(at: object, access: string, more: object = {}): object {
  return { path: at, access, ...more };
}

export function managed(entries: readonly object[], network = "restricted"): object {
  return { type: "managed", file_system: { type: "restricted", entries }, network };
}

export function context(permissions: object, root = "file:///srv/project") {
  return {
    permissions,
    cwd: root,
    workspaceRoots: [root],
    windowsSandboxLevel: "disabled",
    useLegacyLandlock: false,
  };
}

export function readOnly(root?: string) {
  return context(managed([entry(special("root"), "read")]), root);
}

const PROTECTED = [".git", ".agents", ".codex", ".aws"];

export function workspaceWrite(network = "restricted", root?: string) {
  const guards = PROTECTED.map((subpath) =>
    entry(special("project_roots", { subpath }), "read", { missing_path_behavior: "skip" }),
  );
  const entries = [
    entry(special("root"), "read"),
    entry(special("project_roots"), "write"),
    entry(special("slash_tmp"), "write"),
    entry(special("tmpdir"), "write"),
    ...guards,
  ];
  return context(managed(entries, network), root);
}

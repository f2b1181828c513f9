import type { EffectivePolicy, PolicyRequest } from "../contract/policy.ts";
import { OutworkError } from "../errors.ts";
import type { Place, PresetFile, Presets } from "./presets.ts";

/** Where a preset's places are in one environment. `tmpdir` is null when `$TMPDIR` is not set. */
export interface Places {
  readonly workspace: string;
  readonly tmpdir: string | null;
}

/**
 * A request as a policy of its own, before it is met with anything.
 * @throws `validation-failed` a member that its preset gives no meaning
 */
export function resolveRequest(
  request: PolicyRequest,
  presets: Presets,
  places: Places,
): EffectivePolicy {
  const preset = presets[request.preset];
  return {
    preset: request.preset,
    files: {
      write: writableRoots(request, preset, places),
      protected_names: [...preset.files.protected_names].sort(),
    },
    network: request.network_access === undefined ? preset.network : onOff(request.network_access),
  };
}

function onOff(access: boolean): "on" | "off" {
  return access ? "on" : "off";
}

function writableRoots(request: PolicyRequest, preset: PresetFile, places: Places) {
  refuseMeaningless(request);
  if (preset.files.write === "all") return "all";
  const named = preset.files.write.flatMap((root) =>
    isPlace(root) ? placeOf(root, request, places) : [root],
  );
  return [...new Set([...named, ...(request.writable_roots ?? [])])].sort();
}

/** A member that would do nothing is a mistake of the caller's, so it is named. */
function refuseMeaningless(request: PolicyRequest): void {
  if (request.preset === "workspace-write") return;
  for (const member of ["writable_roots", "exclude_tmpdir_env_var", "exclude_slash_tmp"] as const) {
    if (request[member] === undefined) continue;
    throw new OutworkError(
      "validation-failed",
      `policy.${member} has a meaning under the preset workspace-write only, not under ${request.preset}.`,
      { facts: { issues: [{ path: `policy.${member}`, message: "only under workspace-write" }] } },
    );
  }
}

function isPlace(root: string): root is Place {
  return !root.startsWith("/");
}

function placeOf(place: Place, request: PolicyRequest, places: Places): string[] {
  switch (place) {
    case "workspace":
      return [places.workspace];
    case "slash_tmp":
      return request.exclude_slash_tmp ? [] : ["/tmp"];
    case "tmpdir":
      return request.exclude_tmpdir_env_var || places.tmpdir === null ? [] : [places.tmpdir];
  }
}

import { isDeepStrictEqual } from "node:util";
import type {
  CreateEnvironment,
  EffectivePolicy,
  EnvironmentSpec,
  PlacementKind,
  PolicyRequest,
} from "../contract/index.ts";
import { AbsolutePath } from "../contract/index.ts";
import { OutworkError } from "../errors.ts";
import { randomName } from "./random-name.ts";

const DEFAULT_WORKSPACE = "/workspace";
const DEFAULT_POLICY: PolicyRequest = { preset: "workspace-write" };

/** What turns a wish into a spec: the service's defaults, presets and ceilings. */
export interface SpecRules {
  readonly defaultPlacement: PlacementKind;
  /**
   * The environment policy that a request comes to on a placement.
   * @throws `ceiling-exceeded` and `validation-failed`
   */
  resolvePolicy(
    request: PolicyRequest,
    placement: PlacementKind,
    places: { workspace: string; tmpdir: string | null },
  ): EffectivePolicy;
  /** @throws `ceiling-exceeded` when the operator does not allow this policy there any more */
  refuseAboveCeiling(policy: EffectivePolicy, placement: PlacementKind): void;
}

/** Fills in every default. The same request comes to the same spec, unless it left out the id. */
export function resolveSpec(request: CreateEnvironment, rules: SpecRules): EnvironmentSpec {
  const placement = request.placement ?? rules.defaultPlacement;
  const workspace = request.workspace ?? DEFAULT_WORKSPACE;
  const variables = request.variables ?? {};
  const places = { workspace, tmpdir: AbsolutePath.safeParse(variables.TMPDIR).data ?? null };
  return {
    id: request.id ?? randomName("env"),
    placement,
    image: imageOf(request, placement),
    policy: rules.resolvePolicy(request.policy ?? DEFAULT_POLICY, placement, places),
    variables,
    limits: request.limits ?? {},
    workspace,
    labels: request.labels ?? {},
    lifetime_ms: request.lifetime_ms ?? null,
    idle_timeout_ms: request.idle_timeout_ms ?? null,
  };
}

function imageOf({ image }: CreateEnvironment, placement: PlacementKind): string | null {
  if (placement === "embedded" && image !== undefined) {
    throw invalidImage("the embedded placement has no image; it uses the host's own programs");
  }
  if (placement !== "embedded" && image === undefined) {
    throw invalidImage(`the ${placement} placement needs one`);
  }
  return image ?? null;
}

function invalidImage(message: string): OutworkError {
  return new OutworkError("validation-failed", `image: ${message}.`, {
    facts: { issues: [{ path: "image", message }] },
  });
}

/** @throws `environment-conflict` naming the members that differ */
export function refuseOtherSpec(present: EnvironmentSpec, asked: EnvironmentSpec): void {
  const members = Object.keys(asked) as (keyof EnvironmentSpec)[];
  const differs = members.filter((key) => !isDeepStrictEqual(present[key], asked[key]));
  if (differs.length === 0) return;
  throw new OutworkError(
    "environment-conflict",
    `The environment ${asked.id} exists with another ${differs.join(", ")}. Use the same spec, another id, or remove it first.`,
    { facts: { environment_id: asked.id, differs } },
  );
}

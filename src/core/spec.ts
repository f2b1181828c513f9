import { isDeepStrictEqual } from "node:util";
import type {
  Ceiling,
  CreateEnvironment,
  EnvironmentSpec,
  PlacementKind,
  PolicyRequest,
} from "../contract/index.ts";
import { AbsolutePath } from "../contract/index.ts";
import { OutworkError } from "../errors.ts";
import { type Places, type Presets, refuseAboveCeiling, resolveRequest } from "../policy/index.ts";
import { randomName } from "./random-name.ts";

const DEFAULT_WORKSPACE = "/workspace";
const DEFAULT_POLICY: PolicyRequest = { preset: "workspace-write" };

/** What turns a wish into a spec: the service's defaults, presets and ceilings. */
export interface SpecRules {
  readonly defaultPlacement: PlacementKind;
  readonly presets: Presets;
  /** By placement; one that is missing here is not set up. */
  readonly ceilings: Readonly<Partial<Record<PlacementKind, Ceiling>>>;
}

/**
 * Fills in every default. The same request comes to the same spec, unless it left out the id.
 * @throws `ceiling-exceeded` and `validation-failed`
 */
export function resolveSpec(request: CreateEnvironment, rules: SpecRules): EnvironmentSpec {
  const placement = request.placement ?? rules.defaultPlacement;
  const ceiling = ceilingOf(placement, rules);
  const workspace = request.workspace ?? DEFAULT_WORKSPACE;
  const variables = request.variables ?? {};
  const places = placesOf({ workspace, variables });
  const policy = resolveRequest(request.policy ?? DEFAULT_POLICY, rules.presets, places);
  refuseAboveCeiling(policy, ceiling);
  return {
    id: request.id ?? randomName("env"),
    placement,
    image: imageOf(request, placement),
    policy,
    variables,
    limits: request.limits ?? {},
    workspace,
    labels: request.labels ?? {},
    lifetime_ms: request.lifetime_ms ?? null,
    idle_timeout_ms: request.idle_timeout_ms ?? null,
  };
}

/** Where the places that presets name are, in an environment of this spec. */
export function placesOf(spec: Pick<EnvironmentSpec, "workspace" | "variables">): Places {
  const tmpdir = AbsolutePath.safeParse(spec.variables.TMPDIR).data ?? null;
  return { workspace: spec.workspace, tmpdir };
}

/** @throws `validation-failed` if the placement is not set up */
export function ceilingOf(placement: PlacementKind, { ceilings }: SpecRules): Ceiling {
  const ceiling = ceilings[placement];
  if (ceiling) return ceiling;
  const message = `${placement} is not set up; this service has ${Object.keys(ceilings).join(", ")}`;
  throw invalid("placement", message);
}

function imageOf({ image }: CreateEnvironment, placement: PlacementKind): string | null {
  if (placement === "embedded" && image !== undefined) {
    throw invalid("image", "the embedded placement has no image; it uses the host's own programs");
  }
  if (placement !== "embedded" && image === undefined) {
    throw invalid("image", `the ${placement} placement needs one`);
  }
  return image ?? null;
}

function invalid(path: string, message: string): OutworkError {
  return new OutworkError("validation-failed", `${path}: ${message}.`, {
    facts: { issues: [{ path, message }] },
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

import { z } from "zod";
import { AbsolutePath, EnvironmentId, Instant, Variables } from "./ids.ts";
import { EffectivePolicy, PolicyRequest } from "./policy.ts";

/** Where environments run. */
export const PlacementKind = z.enum(["embedded", "docker"]).meta({ id: "PlacementKind" });
export type PlacementKind = z.infer<typeof PlacementKind>;

/** Limits of a whole environment, enforced by the kernel. What cannot be enforced is refused. */
export const Limits = z
  .strictObject({
    memory_bytes: z.int().min(16_777_216).optional().describe("Memory of all its processes."),
    pids: z.int().min(16).max(4_194_304).optional().describe("Processes and threads at once."),
    cpus: z.number().min(0.05).max(1024).optional().describe("CPU time per second, in cores."),
  })
  .meta({ id: "Limits" });
export type Limits = z.infer<typeof Limits>;

/** The longest lifetime or idle time: what a timer of 32 bits can hold, about 24 days. */
const MAX_TIMER_MS = 2_147_483_647;

/** Body of `POST /v1/environments`. The same id with the same spec is the same environment. */
export const CreateEnvironment = z
  .strictObject({
    id: EnvironmentId.optional().describe("Omitted: `env_` and 16 random letters and digits."),
    placement: PlacementKind.optional().describe("Omitted: the service's default placement."),
    image: z.string().min(1).max(512).optional().describe("Docker only, and needed there."),
    policy: PolicyRequest.optional().describe("Omitted: `workspace-write`, network off."),
    variables: Variables.optional().describe("Environment variables of every command."),
    limits: Limits.optional(),
    workspace: AbsolutePath.optional().describe("Folder that commands start in: `/workspace`."),
    labels: z.record(z.string().min(1).max(128), z.string().max(1024)).optional(),
    lifetime_ms: z.int().positive().max(MAX_TIMER_MS).optional(),
    idle_timeout_ms: z
      .int()
      .positive()
      .max(MAX_TIMER_MS)
      .optional()
      .describe("Removed after this long without a call and without a live process."),
  })
  .meta({ id: "CreateEnvironment" });
export type CreateEnvironment = z.infer<typeof CreateEnvironment>;

/** A spec with every default filled in: what placements launch, and what ids are compared by. */
export const EnvironmentSpec = z.object({
  id: EnvironmentId,
  placement: PlacementKind,
  image: z.string().nullable(),
  policy: EffectivePolicy.describe("The environment policy, already below the ceiling."),
  variables: Variables,
  limits: Limits,
  workspace: AbsolutePath,
  labels: z.record(z.string(), z.string()),
  lifetime_ms: z.int().nullable(),
  idle_timeout_ms: z.int().nullable(),
});
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;

/** Why an environment ended without being asked to. */
export const LossReason = z
  .enum(["agent-died", "out-of-memory", "container-stopped", "container-removed", "unreachable"])
  .meta({ id: "LossReason" });
export type LossReason = z.infer<typeof LossReason>;

/** Where an environment is in its life. `lost` stays listed until it is removed. */
export const EnvironmentState = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("starting") }),
    z.object({ kind: z.literal("ready") }),
    z.object({ kind: z.literal("stopping"), reason: z.enum(["removed", "expired", "idle"]) }),
    z.object({ kind: z.literal("lost"), reason: LossReason, at: Instant }),
  ])
  .meta({ id: "EnvironmentState" });
export type EnvironmentState = z.infer<typeof EnvironmentState>;

/** One environment as `GET /v1/environments/{id}` shows it. Variables show their names only. */
export const Environment = z
  .object({
    id: EnvironmentId,
    placement: PlacementKind,
    image: z.string().nullable(),
    state: EnvironmentState,
    policy: EffectivePolicy,
    workspace: AbsolutePath,
    variable_names: z.array(z.string()),
    limits: Limits,
    labels: z.record(z.string(), z.string()),
    created_at: Instant,
    expires_at: Instant.nullable().describe("When its lifetime ends."),
    idle_timeout_ms: z.int().nullable(),
    process_count: z.int().nullable().describe("Live processes; null when the agent is away."),
  })
  .meta({ id: "Environment" });
export type Environment = z.infer<typeof Environment>;

export const EnvironmentList = z
  .object({ environments: z.array(Environment) })
  .meta({ id: "EnvironmentList" });
export type EnvironmentList = z.infer<typeof EnvironmentList>;

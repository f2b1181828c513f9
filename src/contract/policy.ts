import { z } from "zod";
import { AbsolutePath } from "./ids.ts";

/** The four named starting points; `policies/NAME.json` says what each grants. */
export const Preset = z
  .enum(["read-only", "workspace-write", "danger-full-access", "external-sandbox"])
  .meta({ id: "Preset" });
export type Preset = z.infer<typeof Preset>;

/** What a caller asks for: a preset, and what to add to it or take from it. */
export const PolicyRequest = z
  .strictObject({
    preset: Preset,
    writable_roots: z
      .array(AbsolutePath)
      .optional()
      .describe("More folders that commands may write, under `workspace-write`."),
    network_access: z.boolean().optional().describe("Omitted: what the preset says."),
    exclude_tmpdir_env_var: z
      .boolean()
      .optional()
      .describe("True: `$TMPDIR` is not a writable root."),
    exclude_slash_tmp: z.boolean().optional().describe("True: `/tmp` is not a writable root."),
  })
  .meta({ id: "PolicyRequest" });
export type PolicyRequest = z.infer<typeof PolicyRequest>;

/** Where writing is allowed: everywhere, or below these folders. An empty list is nowhere. */
export const WritableFiles = z.union([z.literal("all"), z.array(AbsolutePath)]);
export type WritableFiles = z.infer<typeof WritableFiles>;

/**
 * What the kernel enforces on one command: the meet of request, environment policy and ceiling.
 * Returned with every result, so that nobody has to guess which policy held.
 */
export const EffectivePolicy = z
  .object({
    preset: Preset.describe("The narrowest preset that took part."),
    files: z.object({
      write: WritableFiles,
      protected_names: z
        .array(z.string())
        .describe("Direct children of every writable root that stay read-only."),
    }),
    network: z.enum(["off", "on"]),
  })
  .meta({ id: "EffectivePolicy" });
export type EffectivePolicy = z.infer<typeof EffectivePolicy>;

/** What the operator allows at all. No request and no approval passes it. */
export const Ceiling = z
  .strictObject({
    presets: z
      .array(Preset)
      .default(["read-only", "workspace-write"])
      .describe("Presets that may be used at all on this placement."),
    network: z.enum(["off", "on"]).default("on"),
  })
  .meta({ id: "Ceiling" });
export type Ceiling = z.infer<typeof Ceiling>;

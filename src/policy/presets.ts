import { z } from "zod";
import { AbsolutePath } from "../contract/ids.ts";
import { Preset } from "../contract/policy.ts";

/** Places that a preset may name without knowing the environment. */
const Place = z.enum(["workspace", "tmpdir", "slash_tmp"]);
export type Place = z.infer<typeof Place>;

/** One file of `policies/`: what a preset grants before anything is added or taken away. */
export const PresetFile = z.strictObject({
  description: z.string(),
  files: z.strictObject({
    write: z.union([z.literal("all"), z.array(z.union([Place, AbsolutePath]))]),
    protected_names: z.array(z.string().regex(/^[^/\0]+$/, "one path segment")),
  }),
  network: z.enum(["off", "on"]),
});
export type PresetFile = z.infer<typeof PresetFile>;

export type Presets = Readonly<Record<Preset, PresetFile>>;

/** Checks the four preset files. A missing or misspelt member is an error, never a default. */
export function parsePresets(files: Readonly<Record<string, unknown>>): Presets {
  return z.record(Preset, PresetFile).parse(files) as Presets;
}

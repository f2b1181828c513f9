import { z } from "zod";
import { AbsolutePath, EnvironmentId } from "./ids.ts";
import { EffectivePolicy, PolicyRequest } from "./policy.ts";

/** How a patch is applied. Left out, everything is as the original tool does it. */
export const PatchOptions = z
  .strictObject({
    atomic: z
      .boolean()
      .default(false)
      .describe("All files or none, also across a crash. Changed files become new inodes."),
    dry_run: z.boolean().default(false).describe("Report what would change, and change nothing."),
    line_endings: z
      .enum(["preserve", "lf"])
      .default("preserve")
      .describe("`lf`: every line of an updated file ends with LF."),
    overwrite: z
      .boolean()
      .default(true)
      .describe("Whether Add and Move may replace a file. If not, the patch is refused at once."),
    compat: z
      .boolean()
      .default(false)
      .describe("Keep the original's faults that lose a file, its mode or its content."),
  })
  .meta({ id: "PatchOptions" });
export type PatchOptions = z.infer<typeof PatchOptions>;

/** The content of a file at one moment. */
export const PatchContent = z
  .object({
    sha256: z.string().describe("Lower-case hex."),
    bytes: z.int(),
  })
  .meta({ id: "PatchContent" });
export type PatchContent = z.infer<typeof PatchContent>;

/** A chunk whose place was not certain: found only loosely, or one of several. */
export const PatchMatch = z
  .object({
    chunk: z.int().describe("Counts the file's chunks from 1."),
    line: z.int().describe("Line of the old file where the chunk begins, from 1."),
    stage: z
      .int()
      .min(1)
      .max(4)
      .describe(
        "1 identical, 2 but for trailing white space, 3 for any at the ends, 4 for glyphs.",
      ),
    candidates: z.int().describe("Places in the whole file that fit equally well at that stage."),
  })
  .meta({ id: "PatchMatch" });
export type PatchMatch = z.infer<typeof PatchMatch>;

/** What became of one file, or would in a dry run. */
export const PatchChange = z
  .object({
    kind: z.enum(["add", "delete", "update", "move"]),
    path: z.string().describe("Absolute, and so is `destination`."),
    destination: z.string().nullable().describe("Where a moved file went."),
    before: PatchContent.nullable().describe("At `path`. Null: no file, or it was not readable."),
    after: PatchContent.nullable().describe("At `destination` or `path`. Null: no file."),
    overwritten: PatchContent.nullable().describe("At `destination`, before a move replaced it."),
    exact: z.boolean().describe("False: a write broke off, or old content could not be read."),
    matched: z.array(PatchMatch),
    not_kept: z
      .array(z.enum(["mode", "setuid", "setgid", "sticky", "owner", "hard-links"]))
      .describe("What a new inode in place of the old one could not take over."),
    diff: z.string().nullable().describe("Unified, from the old content to the new."),
    diff_omitted: z.enum(["not-text", "too-large", "not-readable"]).nullable(),
  })
  .meta({ id: "PatchChange" });
export type PatchChange = z.infer<typeof PatchChange>;

/** What a patch that is still arriving asks for so far. Never an acknowledgement. */
export const PatchPreview = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("add"), path: z.string(), content: z.string() }),
    z.object({ kind: z.literal("delete"), path: z.string() }),
    z.object({
      kind: z.literal("update"),
      path: z.string().describe("As written in the patch, and so is `destination`."),
      destination: z.string().nullable(),
      diff: z.string().describe("Per chunk `@@`, the old lines removed, the new lines added."),
    }),
  ])
  .meta({ id: "PatchPreview" });
export type PatchPreview = z.infer<typeof PatchPreview>;

/** Body of `POST …/apply_patch`. */
export const ApplyPatch = z
  .strictObject({
    patch: z.string().describe("In the format of the tool `apply_patch`."),
    workdir: AbsolutePath.optional().describe("Where its paths start. Omitted: the workspace."),
    options: PatchOptions.prefault({}),
    policy: PolicyRequest.optional().describe("May only narrow the environment's policy."),
  })
  .meta({ id: "ApplyPatch" });
export type ApplyPatch = z.infer<typeof ApplyPatch>;
export type ApplyPatchInput = z.input<typeof ApplyPatch>;

/** What the tool answers, and what it did by then, also after a failure part way. */
export const PatchResult = z
  .object({
    text: z.string().describe("As the model reads it."),
    exit_code: z.int().nullable().describe("Null: refused before anything was written."),
    changes: z.array(PatchChange),
    policy: EffectivePolicy,
  })
  .meta({ id: "PatchResult" });
export type PatchResult = z.infer<typeof PatchResult>;

/** Body of `POST /v1/apply_patch`: a patch that may say which environment it is for. */
export const ApplyTurnPatch = ApplyPatch.extend({
  environments: z
    .array(EnvironmentId)
    .min(1)
    .max(64)
    .describe("The turn's environments. A patch goes to the one it names, or else to the first."),
}).meta({ id: "ApplyTurnPatch" });
export type ApplyTurnPatch = z.infer<typeof ApplyTurnPatch>;
export type ApplyTurnPatchInput = z.input<typeof ApplyTurnPatch>;

export const TurnPatchResult = PatchResult.extend({
  environment_id: EnvironmentId.describe("Where it was applied, or refused."),
}).meta({ id: "TurnPatchResult" });
export type TurnPatchResult = z.infer<typeof TurnPatchResult>;

/** One line of `POST …/apply_patch/preview`: all that the patch asks for so far. */
export const PatchPreviews = z
  .object({ changes: z.array(PatchPreview) })
  .meta({ id: "PatchPreviews" });
export type PatchPreviews = z.infer<typeof PatchPreviews>;

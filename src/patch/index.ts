/** Patches of the `apply_patch` format: read, checked, applied. */
export {
  blockedByHook,
  interceptedText,
  RAW_PATCH_TEXT,
  REJECTIONS,
  toolText,
} from "./answers.ts";
export { applyPatch } from "./apply.ts";
export type { ApplyContext, RunContext } from "./context.ts";
export { PatchApplyError, PatchSyntaxError } from "./failure.ts";
export type { Content, DurableFiles, FileStat, PatchFiles } from "./files.ts";
export { NodeFiles } from "./node-files.ts";
export type { PatchOutcome } from "./operate.ts";
export type { Chunk, ChunkLine, Operation, Patch } from "./operation.ts";
export { resolvePath } from "./path.ts";
export { PREVIEW_INTERVAL_MS, previewPatch } from "./preview.ts";
export { type ProgramInput, type ProgramResult, runProgram } from "./program.ts";
export { type Recovered, recoverPatches } from "./recover.ts";
export { PatchStream, parsePatch } from "./stream.ts";
export { summary } from "./summary.ts";
export {
  applyTool,
  runTool,
  type ToolAnswer,
  type ToolContext,
  type VerifiedPatch,
  verifyTool,
} from "./tool.ts";
export type { UndoConflict } from "./undo.ts";
export { verifyPatch } from "./verify.ts";

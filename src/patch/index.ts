/** Patches of the `apply_patch` format: read, checked, applied. */
export {
  blockedByHook,
  interceptedText,
  RAW_PATCH_TEXT,
  REJECTIONS,
  toolText,
} from "./answers.ts";
export { applyPatch } from "./apply/apply.ts";
export type { PatchOutcome } from "./apply/operate.ts";
export { resolvePath } from "./apply/path.ts";
export { verifyPatch } from "./apply/verify.ts";
export { type Recovered, recoverPatches } from "./atomic/recover.ts";
export type { UndoConflict } from "./atomic/undo.ts";
export type { ApplyContext, RunContext } from "./context.ts";
export { PatchApplyError, PatchSyntaxError } from "./failure.ts";
export { NodeFiles } from "./files/node-files.ts";
export type { Content, DurableFiles, FileStat, PatchFiles } from "./files/port.ts";
export type { Chunk, ChunkLine, Operation, Patch } from "./operation.ts";
export { type ProgramInput, type ProgramResult, runProgram } from "./program.ts";
export { PREVIEW_INTERVAL_MS, previewPatch } from "./read/preview.ts";
export { PatchStream, parsePatch } from "./read/stream.ts";
export { summary } from "./summary.ts";
export {
  applyTool,
  runTool,
  type ToolAnswer,
  type ToolContext,
  type VerifiedPatch,
  verifyTool,
} from "./tool.ts";

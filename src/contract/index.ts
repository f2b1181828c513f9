/** Every shape on the wire between callers and the service: the `outwork/contract` door. */
export { OUTPUT_RECORDS_TYPE } from "./agent.ts";
export { ArchiveQuery, ArchiveResult } from "./archive.ts";
export { MAX_OUTPUT_TOKENS, MAX_RETAINED_BYTES, RETAINED_BYTES } from "./constants.ts";
export {
  CreateEnvironment,
  Environment,
  EnvironmentList,
  EnvironmentSpec,
  EnvironmentState,
  Limits,
  LossReason,
  PlacementKind,
} from "./environment.ts";
export { Check, Readiness } from "./health.ts";
export { AbsolutePath, EnvironmentId, Instant, ProcessId, Variables } from "./ids.ts";
export {
  ApplyPatch,
  type ApplyPatchInput,
  ApplyTurnPatch,
  type ApplyTurnPatchInput,
  PatchChange,
  PatchContent,
  PatchMatch,
  PatchOptions,
  PatchPreview,
  PatchPreviews,
  PatchResult,
  TurnPatchResult,
} from "./patch.ts";
export { Ceiling, EffectivePolicy, PolicyRequest, Preset, WritableFiles } from "./policy.ts";
export { Problem } from "./problem.ts";
export { PROBLEMS, type ProblemCode } from "./problem-codes.ts";
export {
  Delivered,
  EndCause,
  OutputEvent,
  OutputLine,
  OutputProblem,
  OutputQuery,
  OutputRecordHeader,
  OutputTotals,
  Process,
  ProcessList,
  ProcessState,
  SignalName,
  SignalProcess,
  StartProcess,
  type StartProcessInput,
  StreamName,
  TerminalSize,
  TerminateProcess,
  WriteStdin,
  WriteStdinResult,
} from "./process.ts";
export { ExecCommand, ToolResult, WriteStdinTool } from "./tools.ts";

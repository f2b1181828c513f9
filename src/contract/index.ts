/** Every shape on the wire between callers and the service: the `outwork/contract` door. */
export { ArchiveQuery, ArchiveResult } from "./archive.ts";
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
export { AbsolutePath, EnvironmentId, Instant, ProcessId, Variables } from "./ids.ts";
export { PatchChange, PatchContent, PatchMatch, PatchOptions, PatchPreview } from "./patch.ts";
export { Ceiling, EffectivePolicy, PolicyRequest, Preset, WritableFiles } from "./policy.ts";
export { PROBLEMS, Problem, type ProblemCode } from "./problem.ts";
export {
  Delivered,
  EndCause,
  MAX_RETAINED_BYTES,
  OutputEvent,
  OutputQuery,
  OutputTotals,
  Process,
  ProcessList,
  ProcessState,
  RETAINED_BYTES,
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
export { ExecCommand, MAX_OUTPUT_TOKENS, ToolResult, WriteStdinTool } from "./tools.ts";

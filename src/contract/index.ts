/** Every shape on the wire between callers and the service: the `outwork/contract` door. */
export { OUTPUT_RECORDS_TYPE } from "./agent.ts";
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
export { Check, Readiness } from "./health.ts";
export { AbsolutePath, EnvironmentId, Instant, ProcessId, Variables } from "./ids.ts";
export { Ceiling, EffectivePolicy, PolicyRequest, Preset, WritableFiles } from "./policy.ts";
export { PROBLEMS, Problem, type ProblemCode } from "./problem.ts";
export {
  Delivered,
  EndCause,
  MAX_RETAINED_BYTES,
  OutputEvent,
  OutputLine,
  OutputProblem,
  OutputQuery,
  OutputRecordHeader,
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

/** The thin client: the `outwork/client` door. */
export { OutworkError } from "../errors.ts";
export type { CallOptions } from "./call-signal.ts";
export { RemoteEnvironment, type StreamOptions } from "./environment.ts";
export { Environments } from "./environments.ts";
export type { OutputOptions } from "./follow-output.ts";
export type { ProcessEvent } from "./output-records.ts";
export { Outwork, type OutworkOptions } from "./outwork.ts";
export { type Ended, RemoteProcess } from "./process.ts";
export type { StdinStatus } from "./stdin.ts";
export { type ToolCall, Turn, type TurnOptions } from "./turn.ts";

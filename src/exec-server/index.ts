/** The exec-server protocol of Codex 0.171.0: one implementation for every transport. */
export {
  type Envelope,
  errorMessage,
  idOfOversized,
  MalformedMessageError,
  type RequestId,
  readEnvelope,
  resultMessage,
} from "./envelope.ts";
export type { Executor, ExtensionMethod } from "./executor.ts";
export { callFiles, openFile, watchMissing } from "./files/index.ts";
export { NodeHttpClient } from "./http/node-client.ts";
export { fitsHost, nativePath, type PathUri, parsePathUri, uriOf } from "./path-uri.ts";
export type {
  EnvironmentFacts,
  FileCalls,
  FileMethod,
  FileMode,
  FileOptions,
  FileParams,
  FileResult,
  Files,
  HttpClient,
  HttpExchange,
  HttpReply,
  OpenFile,
  OutputChunk,
  ProcessEvent,
  Processes,
  ProcessStart,
  StartedProcess,
  WaitOptions,
  Watch,
  WatchedPaths,
} from "./ports.ts";
export { RecentIds } from "./recent-ids.ts";
export { RPC_CODES, RpcError, type WireError } from "./rpc-error.ts";
export { looksDenied } from "./sandbox/denied.ts";
export { PROTECTED_NAMES } from "./sandbox/translate.ts";
export { ExecServer } from "./server.ts";
export { Listener } from "./transport/listener.ts";
export { serveStdio } from "./transport/stdio.ts";
export { type Peer, serveWebSocket } from "./transport/websocket.ts";

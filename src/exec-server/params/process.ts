import {
  anything,
  base64,
  boolean,
  count,
  list,
  mapped,
  record,
  string,
  unsigned,
} from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import { defaulted, oneOf, optional, required, struct } from "../decode-shape.ts";
import { MAX_PROCESS_ID_BYTES } from "../limits.ts";
import { pathUri } from "../path-uri.ts";
import { sandboxContext } from "./sandbox.ts";

const processId = mapped(string, (id) => {
  if (Buffer.byteLength(id) <= MAX_PROCESS_ID_BYTES) return id;
  throw new DecodeError(`processId must not exceed ${MAX_PROCESS_ID_BYTES} bytes`);
});

const variables = mapped(record(string), (entries) => Object.fromEntries(entries));

const envPolicy = struct("ExecEnvPolicy", {
  inherit: required(oneOf("core", "all", "none")),
  ignoreDefaultExcludes: required(boolean),
  exclude: required(list(string)),
  set: required(variables),
  includeOnly: required(list(string)),
});

const UUID = /^(?:urn:uuid:)?\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i;

const uuid = mapped(string, (text) => {
  if (UUID.test(text)) return text;
  throw new DecodeError("invalid character: expected an optional prefix of `urn:uuid:` and a UUID");
});

const managedNetwork = struct("ManagedNetworkSandboxContext", {
  loopbackPorts: defaulted(list(unsigned("u16", 65_535n)), []),
  allowLocalBinding: defaulted(boolean, false),
  allowUnixSockets: defaulted(list(string), []),
  dangerouslyAllowAllUnixSockets: defaulted(boolean, false),
});

const shellSnapshot = struct("ShellSnapshotRequest", {
  scopeId: required(string),
  shell: required(struct("ShellInfo", { name: required(string), path: required(string) })),
});

export const startParams = struct("ExecParams", {
  processId: required(processId),
  argv: required(list(string)),
  cwd: required(pathUri),
  envPolicy: optional(envPolicy),
  env: required(variables),
  tty: required(boolean),
  pipeStdin: defaulted(boolean, false),
  arg0: optional(string),
  sandbox: optional(sandboxContext),
  enforceManagedNetwork: defaulted(boolean, false),
  managedNetwork: optional(managedNetwork),
  networkProxy: optional(struct("ExecNetworkProxy", { proxy: required(anything) })),
  shellSnapshot: optional(shellSnapshot),
  metadata: optional(
    struct("ExecMetadata", { threadId: optional(uuid), toolCallId: optional(string) }),
  ),
});
export type StartParams = ReturnType<typeof startParams>;

export const readParams = struct("ReadParams", {
  processId: required(processId),
  afterSeq: optional(count("u64"), 0),
  maxBytes: optional(count("usize")),
  waitMs: optional(count("u64"), 0),
});
export type ReadParams = ReturnType<typeof readParams>;

export const writeParams = struct("WriteParams", {
  processId: required(processId),
  chunk: required(base64),
  writeId: required(string),
});
export type WriteParams = ReturnType<typeof writeParams>;

export const signalParams = struct("SignalParams", {
  processId: required(processId),
  signal: required(oneOf("interrupt")),
});

export const terminateParams = struct("TerminateParams", { processId: required(processId) });

import { isUtf8 } from "node:buffer";
import { errnoOf, errnoText } from "../../errno.ts";
import { asError, OutworkError } from "../../errors.ts";
import { childVariables, type Variables } from "../env-policy.ts";
import type { Executor } from "../executor.ts";
import { TERMINAL_COLS, TERMINAL_ROWS } from "../limits.ts";
import type { StartParams } from "../params/process.ts";
import { fitsHost, nativeBytes, nativePath, unfit } from "../path-uri.ts";
import type { ProcessStart, StartedProcess } from "../ports.ts";
import { invalidParams, RpcError, type StartFailure, startFailed } from "../rpc-error.ts";
import { policyOfStart } from "../sandbox/policy-of-call.ts";
import type { CallContext, Reply } from "./method.ts";

const POLICY_REFUSALS = ["policy-denied", "ceiling-exceeded", "enforcement-missing"];
const MAX_SCOPE_BYTES = 256;

export async function startProcess(params: StartParams, context: CallContext): Promise<Reply> {
  checkParams(params);
  const { session, executor } = context;
  const process = await session.processes.start(params.processId, {
    sandboxed: params.sandbox !== null,
    run: (signal) => launch(params, executor, signal),
  });
  const result = {
    processId: process.id,
    sandboxType: params.sandbox === null ? "none" : "linuxSeccomp",
    /** Beside the protocol: what really holds, which may be narrower than what was asked. */
    effectivePolicy: process.started.policy,
  };
  return { result, sent: () => session.announce(process) };
}

function checkParams({ argv, cwd, env, arg0, shellSnapshot, networkProxy }: StartParams): void {
  if (!fitsHost(cwd)) {
    const reason = `cwd URI \`${cwd}\` is not valid on this exec-server host: ${unfit(cwd)}`;
    throw invalidParams(reason);
  }
  if (argv.length === 0) throw invalidParams("argv must not be empty");
  checkSnapshot(shellSnapshot);
  if (networkProxy !== null) {
    const reason = "network proxies are not available on this executor";
    throw startFailed("sandboxUnavailable", reason);
  }
  if (argv[0] === "") throw startFailed("spawnFailed", "missing program");
  if (!isUtf8(nativeBytes(cwd))) throw startFailed("spawnNotFound", errnoText("ENOENT"));
  if (argv.some(hasNul) || hasNul(arg0 ?? "")) {
    throw startFailed("spawnFailed", "nul byte found in provided data");
  }
  if (Object.entries(env).flat().some(hasNul)) {
    throw startFailed("spawnFailed", "data provided contains a nul byte");
  }
}

/** Only ever an optimisation, which we do not announce; what it asks for must still be well formed. */
function checkSnapshot(snapshot: StartParams["shellSnapshot"]): void {
  const bytes = snapshot === null ? 1 : Buffer.byteLength(snapshot.scopeId);
  if (bytes > 0 && bytes <= MAX_SCOPE_BYTES) return;
  throw invalidParams(
    `shell snapshot scope must be non-empty and at most ${MAX_SCOPE_BYTES} bytes`,
  );
}

function hasNul(text: string): boolean {
  return text.includes("\0");
}

async function launch(
  params: StartParams,
  executor: Executor,
  signal: AbortSignal,
): Promise<StartedProcess> {
  const { argv, cwd, tty, pipeStdin, arg0 } = params;
  const env = variablesOf(params, executor);
  const policy = await startPolicy(params, { executor, env, signal });
  signal.throwIfAborted();
  const size = tty ? { rows: TERMINAL_ROWS, cols: TERMINAL_COLS } : null;
  const start: ProcessStart = {
    argv,
    cwd: nativePath(cwd),
    env,
    tty: size,
    pipeStdin: pipeStdin && !tty,
    arg0,
    policy,
  };
  try {
    return await executor.processes.start(start, { signal });
  } catch (error) {
    throw launchError(error);
  }
}

function variablesOf({ envPolicy, env, tty }: StartParams, { facts }: Executor): Variables {
  const terminalShell = tty ? facts.shell.path : null;
  return childVariables({ policy: envPolicy, own: facts.variables, overlay: env, terminalShell });
}

function startPolicy(
  { sandbox, enforceManagedNetwork }: StartParams,
  { executor, env, signal }: { executor: Executor; env: Variables; signal: AbortSignal },
) {
  if (sandbox !== null && enforceManagedNetwork) {
    const reason = "managed network mode needs a network proxy, which is not available here";
    throw startFailed("sandboxPreparation", `failed to prepare process sandbox: ${reason}`);
  }
  return policyOfStart(sandbox, {
    files: executor.files,
    tmpdir: env.TMPDIR ?? null,
    signal,
  });
}

function launchError(thrown: unknown): Error {
  const error = asError(thrown);
  if (error instanceof RpcError) return error;
  if (error instanceof OutworkError && POLICY_REFUSALS.includes(error.code)) {
    const message = `failed to prepare process sandbox: ${error.message}`;
    return startFailed("sandboxPreparation", message, { cause: error });
  }
  const errno = errnoOf(error);
  if (errno === null) return error instanceof OutworkError ? spawnFailed(error) : error;
  return startFailed(spawnKind(errno), errnoText(errno), { cause: error });
}

function spawnFailed(error: OutworkError): RpcError {
  return startFailed("spawnFailed", error.message, { cause: error });
}

function spawnKind(errno: string): StartFailure {
  if (errno === "ENOENT") return "spawnNotFound";
  return errno === "EACCES" || errno === "EPERM" ? "spawnPermissionDenied" : "spawnFailed";
}

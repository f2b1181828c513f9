import type { EffectivePolicy } from "../../contract/policy.ts";
import type { SandboxContext } from "../params/sandbox.ts";
import { uriOf } from "../path-uri.ts";
import type { Files } from "../ports.ts";
import {
  internalError,
  invalidParams,
  invalidRequest,
  isNotFound,
  startFailed,
} from "../rpc-error.ts";
import type { PlaceRules } from "./places.ts";
import { SandboxRefusal } from "./refusal.ts";
import { decisivePaths, requestedPolicy } from "./translate.ts";

interface Surroundings {
  readonly files: Files;
  readonly tmpdir: string | null;
  readonly signal: AbortSignal;
}

/** @throws RpcError in the words of `process/start` */
export async function policyOfStart(
  context: SandboxContext | null,
  surroundings: Surroundings,
): Promise<EffectivePolicy> {
  try {
    return await policyFor(context, "start", surroundings);
  } catch (error) {
    if (!(error instanceof SandboxRefusal)) throw error;
    if (error.kind === "unavailable") throw startFailed("sandboxUnavailable", error.message);
    const message = `failed to prepare process sandbox: ${error.message}`;
    throw startFailed("sandboxPreparation", message, { cause: error });
  }
}

/** @throws RpcError in the words of file calls */
export async function policyOfFileCall(
  context: SandboxContext | null,
  surroundings: Surroundings,
): Promise<EffectivePolicy> {
  try {
    return await policyFor(context, "file", surroundings);
  } catch (error) {
    throw error instanceof SandboxRefusal ? fileRefusal(error) : error;
  }
}

function fileRefusal(refusal: SandboxRefusal): Error {
  switch (refusal.kind) {
    case "foreign":
      return invalidRequest(refusal.message);
    case "needsCwd":
    case "unavailable":
      return invalidParams(refusal.message);
    case "inexpressible": {
      const message = `failed to prepare file system sandbox: ${refusal.message}`;
      return internalError(message, { cause: refusal, data: { kind: "sandboxPreparation" } });
    }
  }
}

async function policyFor(
  context: SandboxContext | null,
  call: PlaceRules["call"],
  { files, tmpdir, signal }: Surroundings,
): Promise<EffectivePolicy> {
  const rules = { call, tmpdir };
  const existing = new Set<string>();
  for (const path of decisivePaths(context, rules)) {
    if (await exists(files, path, signal)) existing.add(path);
  }
  return requestedPolicy(context, rules, (path) => existing.has(path));
}

/** Looks with the widest policy: what cannot be looked at counts as there. */
async function exists(files: Files, path: string, signal: AbortSignal): Promise<boolean> {
  const params = { path: uriOf(path), followSymlinks: true };
  const policy = requestedPolicy(null, { call: "file", tmpdir: null }, () => false);
  try {
    await files.call("fs/getMetadata", params, { policy, signal });
    return true;
  } catch (error) {
    return !isNotFound(error);
  }
}

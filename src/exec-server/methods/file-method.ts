import type { Claim } from "../connection/claims.ts";
import type { Decoder } from "../decode.ts";
import type { SandboxContext } from "../params/sandbox.ts";
import type { FileMethod, FileOptions, FileParams, FileResult } from "../ports.ts";
import { policyOfFileCall } from "../sandbox/policy-of-call.ts";
import { type CallContext, type Method, method } from "./method.ts";

interface Sandboxed {
  readonly sandbox: SandboxContext | null;
}

/** Options of a call with that sandbox. @throws RpcError when the sandbox is refused */
export async function fileOptions(
  { sandbox }: Sandboxed,
  context: CallContext,
): Promise<FileOptions> {
  const { executor, signal } = context;
  const tmpdir = executor.facts.variables.TMPDIR ?? null;
  const policy = await policyOfFileCall(sandbox, { files: executor.files, tmpdir, signal });
  return { policy, signal };
}

interface FileMethodDefinition<M extends FileMethod, P> {
  readonly params: Decoder<P>;
  readonly claims: (params: P) => readonly Claim[];
  /** Memory that the answer may take; 0: too little to mind. */
  readonly answerBytes: number;
  readonly call: (params: P) => FileParams<M>;
  readonly result: (result: FileResult<M>) => object;
}

export function fileMethod<M extends FileMethod, P extends Sandboxed>(
  name: M,
  definition: FileMethodDefinition<M, P>,
): Method {
  const { params, claims, answerBytes, call, result } = definition;
  return method({
    family: "filesystem",
    params,
    claims,
    run: async (wanted, context) => {
      const native = call(wanted);
      const options = await fileOptions(wanted, context);
      if (answerBytes > 0) await context.admit(answerBytes);
      return { result: result(await context.executor.files.call(name, native, options)) };
    },
  });
}

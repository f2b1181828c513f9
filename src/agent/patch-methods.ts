import type { AgentConfig } from "../contract/agent.ts";
import { asError, OutworkError } from "../errors.ts";
import { meet } from "../policy/meet.ts";
import type { SandboxedFiles } from "./files/sandboxed-files.ts";
import type { Methods } from "./rpc/methods.ts";

/** The tool `apply_patch`, in the sandbox of the call's effective policy. */
export function patchMethods(
  config: AgentConfig,
  files: SandboxedFiles,
): Pick<Methods, "outwork/apply_patch"> {
  return {
    "outwork/apply_patch": async ({
      patch,
      workdir,
      options,
      policy: request,
      environment_line,
    }) => {
      const policy = request ? meet(config.policy, request) : config.policy;
      const cwd = workdir ?? config.workspace;
      try {
        const environmentLine = environment_line ?? "refused";
        const asked = { text: patch, cwd, options, environmentLine };
        const answer = await files.patch(asked, policy);
        return { ...answer, changes: [...answer.changes], policy };
      } catch (error) {
        const { message } = asError(error);
        throw new OutworkError("internal", `The patch was cut short: ${message}.`, {
          cause: error,
        });
      }
    },
  };
}

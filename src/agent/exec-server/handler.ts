import type { AgentConfig } from "../../contract/agent.ts";
import type { ExecServer } from "../../exec-server/server.ts";
import type { SandboxedFiles } from "../files/sandboxed-files.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import type { ExecServerHandler } from "../rpc/methods.ts";

/**
 * Serves the exec-server protocol on connections of the agent. It is loaded with the first of them:
 * an environment that nobody uses that way does not carry it.
 */
export function execServerHandler(
  config: AgentConfig,
  table: ProcessTable,
  files: SandboxedFiles,
): ExecServerHandler {
  let server: Promise<ExecServer> | null = null;
  return async (peer, frames) => {
    const [{ openExecServer }, { serveChannel }] = await Promise.all([
      import("./open.ts"),
      import("./channel.ts"),
    ]);
    server ??= Promise.resolve(openExecServer(config, table, files));
    await serveChannel(await server, peer, frames);
  };
}

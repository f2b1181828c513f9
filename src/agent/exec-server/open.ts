import type { AgentConfig } from "../../contract/agent.ts";
import { COMMAND_BIN_FOLDER } from "../../contract/constants.ts";
import { asError } from "../../errors.ts";
import { NodeHttpClient } from "../../exec-server/http/node-client.ts";
import type { EnvironmentFacts } from "../../exec-server/ports.ts";
import { ExecServer } from "../../exec-server/server.ts";
import { VERSION } from "../../version.ts";
import type { SandboxedFiles } from "../files/sandboxed-files.ts";
import { logLine } from "../log.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { findShells } from "../shells.ts";
import { EnvironmentView } from "../view.ts";
import { TableProcesses } from "./table-processes.ts";

/** The protocol over this environment's processes and files, for any number of connections. */
export function openExecServer(
  config: AgentConfig,
  table: ProcessTable,
  files: SandboxedFiles,
): ExecServer {
  return new ExecServer({
    facts: factsOf(config),
    processes: new TableProcesses(table),
    files,
    // The agent is outside of every sandbox, so its requests are the environment's only if those of
    // its commands would be.
    http: config.policy.network === "on" ? new NodeHttpClient() : null,
    onFault: (error, method) =>
      logLine("an exec-server method failed", { method, err: asError(error).stack }),
  });
}

function factsOf(config: AgentConfig): EnvironmentFacts {
  const { default: path } = findShells(new EnvironmentView(config.layout));
  return {
    shell: { name: path.slice(path.lastIndexOf("/") + 1), path },
    executorVersion: VERSION,
    providerId: null,
    cwd: config.workspace,
    userHomeDir: config.home,
    tempDir: config.variables.TMPDIR ?? "/tmp",
    prependPathDirs: config.bin === null ? [] : [COMMAND_BIN_FOLDER],
    hostname: config.environment_id,
    variables: config.variables,
  };
}

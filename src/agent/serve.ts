import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { AgentConfig } from "../contract/agent.ts";
import { asError } from "../errors.ts";
import { FrameStream } from "../wire/frames.ts";
import { archiveHandlers } from "./archive-handlers.ts";
import { withEtcFiles } from "./etc-files.ts";
import { execServerHandler } from "./exec-server/handler.ts";
import { helloOf } from "./hello.ts";
import { closeInherited } from "./inherited.ts";
import { logLine } from "./log.ts";
import { processMethods, processSources } from "./process-methods.ts";
import { ProcessTable } from "./processes/process-table.ts";
import { serveConnection } from "./rpc/connection.ts";
import type { Handlers } from "./rpc/methods.ts";
import { Sandbox } from "./sandbox/sandbox.ts";
import { sweepStandIn } from "./sandbox/stand-ins.ts";
import { checkSandbox } from "./self-check.ts";
import { toolMethods } from "./tool-methods.ts";
import { EnvironmentView } from "./view.ts";

/**
 * Runs the agent of one environment until it is told to shut down. Resolves once it listens.
 * @throws `enforcement-missing` when commands cannot be sandboxed here
 */
export async function serveAgent(configPath: string): Promise<void> {
  closeInherited();
  const written = JSON.parse(readFileSync(configPath, "utf8")) as AgentConfig;
  const config = { ...written, layout: withEtcFiles(written) };
  const view = new EnvironmentView(config.layout);
  const sandbox = new Sandbox(config, view);
  await checkSandbox(sandbox);
  sweepStandIns(config, view);
  const table = new ProcessTable(config, view, sandbox);
  const handlers = handlersOf(config, view, sandbox, table);
  await listen(config.socket, handlers);
  process.once("SIGTERM", () => void shutdown(table));
}

function handlersOf(
  config: AgentConfig,
  view: EnvironmentView,
  sandbox: Sandbox,
  table: ProcessTable,
): Handlers {
  const archive = archiveHandlers(sandbox);
  return {
    execServer: execServerHandler(config, table, sandbox),
    methods: {
      ...processMethods(table),
      ...toolMethods(config, view, table),
      "outwork/hello": () => helloOf(config),
      "outwork/shutdown": () => {
        setImmediate(() => void shutdown(table));
        return {};
      },
    },
    sources: { ...processSources(table), ...archive.sources },
    sinks: archive.sinks,
  };
}

async function shutdown(table: ProcessTable): Promise<void> {
  await table.terminateAll();
  process.exit(0);
}

/** The socket is made without rights for anybody but the agent's user. */
async function listen(socket: string, handlers: Handlers): Promise<void> {
  rmSync(socket, { force: true });
  const failed = (error: unknown) => logLine("a connection failed", { err: asError(error).stack });
  // Whoever sends a stream ends its side first and waits for the answer.
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    void serveConnection(new FrameStream(connection), handlers, failed);
  });
  const umask = process.umask(0o177);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  process.umask(umask);
}

function sweepStandIns({ policy }: AgentConfig, view: EnvironmentView): void {
  if (policy.files.write === "all") return;
  for (const root of policy.files.write) {
    const source = view.locate(root);
    if (source === null) continue;
    for (const name of policy.files.protected_names) sweepStandIn(join(source, name));
  }
}

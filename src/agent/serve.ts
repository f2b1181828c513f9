import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { AgentConfig } from "../contract/agent.ts";
import { asError } from "../errors.ts";
import { archiveHandlers } from "./archive-handlers.ts";
import { helloOf } from "./hello.ts";
import { nameUser } from "./identity.ts";
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

/** Largest message taken: what a stock exec-server client may send. */
const MAX_MESSAGE_BYTES = 67_108_864;

/**
 * Runs the agent of one environment until it is told to shut down. Resolves once it listens.
 * @throws `enforcement-missing` when commands cannot be sandboxed here
 */
export async function serveAgent(configPath: string): Promise<void> {
  closeInherited();
  const written = AgentConfig.parse(JSON.parse(readFileSync(configPath, "utf8")));
  const config = { ...written, layout: nameUser(written) };
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
  const archive = archiveHandlers(config, sandbox);
  return {
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
  const server = createServer();
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const failed = (error: unknown) => logLine("a connection failed", { err: asError(error).stack });
  sockets.on("connection", (connection) => {
    connection.on("error", failed);
    void serveConnection(connection, handlers, failed);
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

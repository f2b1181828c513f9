import { readFileSync, rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { AgentConfig } from "../contract/agent.ts";
import { asError } from "../errors.ts";
import { FrameStream } from "../wire/frames.ts";
import { archiveHandlers } from "./archive-handlers.ts";
import { type EnvironmentParts, openEnvironment } from "./environment.ts";
import { withEtcFiles } from "./etc-files.ts";
import { execServerHandler } from "./exec-server/handler.ts";
import { PatchJournals } from "./files/patch-journals.ts";
import { SandboxedFiles } from "./files/sandboxed-files.ts";
import { helloOf } from "./hello.ts";
import { closeInherited } from "./inherited.ts";
import { logLine } from "./log.ts";
import { patchMethods } from "./patch-methods.ts";
import { processMethods, processSources } from "./process-methods.ts";
import type { ProcessTable } from "./processes/process-table.ts";
import { serveConnection } from "./rpc/connection.ts";
import type { Handlers } from "./rpc/methods.ts";
import { toolMethods } from "./tool-methods.ts";

/** Whatever the service's own is. */
const COMMANDS_UMASK = 0o022;

/**
 * Runs the agent of one environment until it is told to shut down. Resolves once it listens.
 * @throws `enforcement-missing` when commands cannot be sandboxed here
 */
export async function serveAgent(configPath: string): Promise<void> {
  closeInherited();
  process.umask(COMMANDS_UMASK);
  await startThreads();
  const written = JSON.parse(readFileSync(configPath, "utf8")) as AgentConfig;
  const config = { ...written, layout: withEtcFiles(written) };
  const parts = await openEnvironment(config);
  await listen(config.socket, handlersOf(config, parts));
  process.once("SIGTERM", () => void shutdown(parts.table));
}

/** Connections that may wait to be accepted; the kernel takes less where it allows less. */
const BACKLOG = 4_096;

/** Node makes its threads at their first use, when a limit on processes may not allow it any more. */
async function startThreads(): Promise<void> {
  await stat("/");
}

function handlersOf(config: AgentConfig, { view, sandbox, table }: EnvironmentParts): Handlers {
  const archive = archiveHandlers(sandbox);
  const files = new SandboxedFiles(config.policy, sandbox, journalsOf(config));
  return {
    execServer: execServerHandler(config, table, files),
    methods: {
      ...processMethods(table),
      ...toolMethods(config, view, table),
      ...patchMethods(config, files),
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

/** Beside the socket, where no command can look. */
function journalsOf({ socket }: AgentConfig): PatchJournals {
  return new PatchJournals(join(dirname(socket), "journals"));
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
    server.listen(socket, BACKLOG, resolve);
  });
  process.umask(umask);
}

import type { Readable, Writable } from "node:stream";
import type { AgentConfig } from "../contract/agent.ts";
import type { WaitOptions } from "../exec-server/ports.ts";
import { serveStdio } from "../exec-server/transport/stdio.ts";
import { openEnvironment } from "./environment.ts";
import { openExecServer } from "./exec-server/open.ts";
import { SandboxedFiles } from "./files/sandboxed-files.ts";
import { closeInherited } from "./inherited.ts";

/**
 * Serves the exec-server protocol to one client over two streams. Resolves when the client has gone,
 * or `signal` says so, and every process of the environment with it.
 * @throws `enforcement-missing` when commands cannot be sandboxed here
 */
export async function serveAgentOverStdio(
  config: AgentConfig,
  streams: { readonly input: Readable; readonly output: Writable },
  { signal }: WaitOptions,
): Promise<void> {
  closeInherited();
  const { sandbox, table } = await openEnvironment(config);
  const server = openExecServer(config, table, new SandboxedFiles(config.policy, sandbox, null));
  try {
    await Promise.race([serveStdio(server, streams), aborted(signal)]);
  } finally {
    streams.input.destroy();
    server[Symbol.dispose]();
    await table.terminateAll();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Executor } from "../../../src/exec-server/executor.ts";
import { NodeHttpClient } from "../../../src/exec-server/http/node-client.ts";
import { ExecServer } from "../../../src/exec-server/server.ts";
import { Listener } from "../../../src/exec-server/transport/listener.ts";
import { localFiles } from "./local-files.ts";
import { LocalProcesses } from "./local-processes.ts";
import { ProtocolClient } from "./protocol-client.ts";

const PRINCIPAL_HEADER = "x-principal";

/** An exec-server on a loopback port, with a folder of its own. */
export interface Fixture {
  readonly url: string;
  readonly root: string;
  readonly http: Server;
  readonly executor: Executor;
  readonly server: ExecServer;
  readonly processes: LocalProcesses;
  /** A connection that has done nothing yet. */
  connect(options?: { principal?: string }): Promise<ProtocolClient>;
  /** A connection past its handshake. */
  ready(options?: { principal?: string; resume?: string }): Promise<ProtocolClient>;
}

export function executorIn(root: string, overrides: Partial<Executor> = {}): Executor {
  return {
    facts: {
      shell: { name: "bash", path: "/bin/bash" },
      executorVersion: "0.171.0",
      providerId: null,
      cwd: root,
      userHomeDir: root,
      tempDir: "/tmp",
      prependPathDirs: [],
      hostname: "fixture",
      variables: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: root,
        PLAIN: "plain",
        A_SECRET: "s",
      },
    },
    processes: new LocalProcesses(),
    files: localFiles,
    http: new NodeHttpClient(),
    onFault: (error) => {
      throw error;
    },
    ...overrides,
  };
}

export async function openFixture(
  t: TestContext,
  overrides: Partial<Executor> = {},
): Promise<Fixture> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "exec-server-")));
  const processes = new LocalProcesses();
  const executor = executorIn(root, { processes, ...overrides });
  const server = new ExecServer(executor);
  const http = await listen(server);
  t.after(async () => {
    server[Symbol.dispose]();
    http.closeAllConnections();
    http.close();
    await rm(root, { recursive: true, force: true });
  });
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const connect = async ({ principal }: { principal?: string } = {}) => {
    const headers = principal === undefined ? {} : { [PRINCIPAL_HEADER]: principal };
    const client = await ProtocolClient.open(url, { headers });
    t.after(() => client.drop());
    return client;
  };
  const ready = async (options: { principal?: string; resume?: string } = {}) => {
    const client = await connect(options);
    await client.handshake(options.resume);
    return client;
  };
  return { url, root, http, executor, server, processes, connect, ready };
}

export async function listen(server: ExecServer, port = 0): Promise<Server> {
  const listener = new Listener(server, {
    principalOf: ({ headers }) => headers[PRINCIPAL_HEADER]?.toString() ?? null,
  });
  const http = createServer(listener.request).on("upgrade", listener.upgrade);
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  return http;
}

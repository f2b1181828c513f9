import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { cwd, env, exit, stdin, stdout } from "node:process";
import { ExecServer } from "../../../src/exec-server/server.ts";
import { serveStdio } from "../../../src/exec-server/transport/stdio.ts";
import { confined } from "./confine.ts";
import { executorIn, listen } from "./fixture.ts";
import { LocalProcesses } from "./local-processes.ts";
import { SandboxedFiles } from "./sandboxed-files.ts";

/**
 * The fixture as a program: `main.js ws [PORT] [confined]` or `main.js stdio`. For comparisons by
 * hand, and for tests that drive a real client.
 */
const [, , transport, port, mode] = process.argv;
const base = executorIn(cwd());
const own = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
const facts = { ...base.facts, variables: own as Record<string, string> };
await mkdir(cwd(), { recursive: true });
const ports =
  mode === "confined"
    ? { processes: new LocalProcesses(confined), files: new SandboxedFiles() }
    : { processes: base.processes, files: base.files };
const onFault = (error: unknown) => console.error(error);
const server = new ExecServer({ ...base, ...ports, facts, onFault });
if (transport === "stdio") {
  await serveStdio(server, { input: stdin, output: stdout });
  server[Symbol.dispose]();
  exit(0);
}
const http = await listen(server, Number(port ?? 0));
console.log(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
process.on("SIGTERM", () => {
  server[Symbol.dispose]();
  exit(0);
});

import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { cwd, env, exit, stdin, stdout } from "node:process";
import { ExecServer } from "../../../src/exec-server/server.ts";
import { serveStdio } from "../../../src/exec-server/transport/stdio.ts";
import { executorIn, listen } from "./fixture.ts";

/** The fixture as a program: `main.js ws [PORT]` or `main.js stdio`. For comparisons by hand. */
const [, , transport, port] = process.argv;
const base = executorIn(cwd());
const own = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
const facts = { ...base.facts, variables: own as Record<string, string> };
await mkdir(cwd(), { recursive: true });
const server = new ExecServer({ ...base, facts, onFault: (error) => console.error(error) });
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

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Outwork } from "../../src/client/index.ts";
import { passableFolder } from "../support/passable-folder.ts";

const SCRIPT = fileURLToPath(new URL("../support/scripts/serve.js", import.meta.url));

let folder: string;

before(async () => {
  folder = await passableFolder("ow-");
});

/** Whatever environments are left at the end are removed with the folder. */
after(async () => {
  const { child, client } = await start();
  for (const { id } of await client.environments.list()) await client.environments.remove(id);
  await client.close();
  child.kill("SIGTERM");
  await ended(child);
  await rm(folder, { recursive: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly client: Outwork;
  readonly port: number;
}

async function start(port = 0): Promise<Started> {
  const flags = JSON.stringify({ state_folder: folder, listen: { port }, log_level: "error" });
  const child = spawn(process.execPath, [SCRIPT, flags], { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await Promise.race([once(createInterface(child.stdout), "line"), failed(child)]);
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  return { child, client: new Outwork({ url, token }), port: Number(new URL(url).port) };
}

async function failed(child: ChildProcess): Promise<never> {
  throw new Error(`the service ended at once: ${await once(child, "exit")}`);
}

async function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode ?? child.signalCode ?? (await once(child, "exit"))[0];
}

/** Prints the numbers from 1 to `last`, a little at a time. */
function counting(last: number): string[] {
  return ["sh", "-c", `i=0; while [ $i -lt ${last} ]; do i=$((i+1)); echo $i; sleep 0.02; done`];
}

function numbersTo(last: number): string {
  return Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");
}

for (const [signal, outcome] of [
  ["SIGTERM", 0],
  ["SIGINT", 0],
  ["SIGKILL", null],
] as const) {
  test(`LC-01: after ${signal} the next service has every process and every byte`, async (t) => {
    const first = await start();
    const { id } = await first.client.environments.create();
    const started = await first.client.environment(id).start({ argv: counting(100) });
    const reading = (async () => {
      let text = "";
      for await (const event of started.output({ signal: t.signal })) {
        if (event.type !== "output") continue;
        text += event.chunk;
        if (!first.child.killed) first.child.kill(signal);
      }
      return text;
    })();
    assert.equal(await ended(first.child), outcome);
    const second = await start(first.port);
    assert.equal(await reading, numbersTo(100));
    const { state } = await second.client.environment(id).process(started.id).inspect();
    assert.equal(state.kind, "closed");
    await Promise.all([first.client.close(), second.client.close()]);
    second.child.kill("SIGTERM");
    assert.equal(await ended(second.child), 0);
  });
}

test("LC-13: a second service on a folder in use ends with the reason, the first goes on", async () => {
  const { child, client } = await start();
  const flags = JSON.stringify({ state_folder: folder, listen: { port: 0 } });
  const second = spawn(process.execPath, [SCRIPT, flags], { stdio: ["ignore", "ignore", "pipe"] });
  const said = Buffer.concat(await second.stderr.toArray()).toString();
  assert.match(said, new RegExp(`StartupError: .*pid ${child.pid} at http`));
  assert.ok(await client.environments.list());
  await client.close();
  child.kill("SIGTERM");
  assert.equal(await ended(child), 0);
});

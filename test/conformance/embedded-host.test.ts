import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import type { EnvironmentSpec } from "../../src/contract/environment.ts";
import { openEmbedded } from "../../src/placements/embedded/index.ts";

import { type EmbeddedTarget, openEmbeddedTarget } from "../support/placement-embedded.ts";
import { TestEnvironment } from "../support/placement-environment.ts";
import { freshId, launch, useTarget } from "../support/placement-target.ts";
import { patience } from "../support/run.ts";

const SERVICE = fileURLToPath(new URL("../support/embedded-service.js", import.meta.url));
/** A service is killed at each of these moments of its start. */
const KILL_AFTER_MS = [100, 250, 400, 700, 1_100];
const log = pino({ level: "silent" });

describe("the embedded placement on its host", () => {
  const target = useTarget(openEmbeddedTarget);
  const stateFolder = () => (target() as EmbeddedTarget).stateFolder;
  const serve = (spec: EnvironmentSpec, scripts: readonly string[] = [], extra: object = {}) =>
    spawn(process.execPath, [SERVICE, stateFolder(), JSON.stringify(spec), ...scripts], {
      stdio: ["ignore", "pipe", "inherit"],
      ...extra,
    });

  for (const missing of ["libexec/bwrap", "lib"]) {
    test(`PO-13: without ${missing} of its launcher a command is refused, never run bare`, async () => {
      await using environment = await launch(target);
      const running = await environment.startSh("echo up; read x; echo on", { stdin: "pipe" });
      await environment.firstLine(running);
      const [hash = ""] = readdirSync(join(stateFolder(), "toolbox"));
      const path = join(stateFolder(), "toolbox", hash, missing);
      renameSync(path, `${path}.away`);
      try {
        await assert.rejects(environment.sh("touch bare"), { code: "enforcement-missing" });
        const tty = { rows: 24, cols: 80 };
        await assert.rejects(environment.sh("touch bare", { tty }), {
          code: "enforcement-missing",
        });
        await assert.rejects(environment.exec({ cmd: "touch bare" }), {
          code: "enforcement-missing",
        });
      } finally {
        renameSync(`${path}.away`, path);
      }
      await environment.type(running, "\n");
      assert.equal((await environment.readToEnd(running)).output, "up\non\n");
      assert.equal((await environment.sh("ls")).output, "");
    });
  }

  test("EX-03: a service that is killed leaves its commands, and the next one goes on with them", async () => {
    const spec = target().spec();
    const service = serve(spec);
    const processId = await said(service, "running");
    service.kill("SIGKILL");
    await once(service, "exit");
    const after = await recovered(await target().reopen(), spec.id);
    assert.ok(after);
    const process = await after.call("outwork/process/get", { process_id: String(processId) });
    await after.type(process, "\n");
    const { output, exitCode } = await after.readToEnd(process);
    assert.deepEqual({ output, exitCode }, { output: "one\ntwo\n", exitCode: 7 });
    await after[Symbol.asyncDispose]();
    assert.deepEqual(await target().leftovers(spec.id), []);
  });

  test("LC-09: a service that is killed while it launches leaves nothing that is not found", async () => {
    for (const afterMs of KILL_AFTER_MS) {
      const spec = target().spec({ variables: { marker: freshId() } });
      const service = serve(spec);
      await said(service, "opened");
      await sleep(afterMs);
      service.kill("SIGKILL");
      await once(service, "exit");
      const after = await recovered(await target().reopen(), spec.id);
      await after?.[Symbol.asyncDispose]();
      assert.deepEqual(await target().leftovers(spec.id), []);
      await using again = await launch(target, { id: spec.id });
      assert.equal((await again.sh("echo free")).stdout, "free\n");
    }
  });

  test("what nobody of ours made is left alone, and so is what cannot be read", async () => {
    const environments = join(stateFolder(), "environments");
    const others = ["notes", "empty", "claimed", "broken"].map((name) => join(environments, name));
    const [notes = "", , claimed = "", broken = ""] = others;
    for (const folder of others) mkdirSync(folder);
    writeFileSync(join(notes, "file"), "mine");
    const claim = (owner: string) =>
      JSON.stringify({ owner, uid: 1, gid: 1, service: { pid: 1, start_ticks: "0" } });
    writeFileSync(join(claimed, "claim.json"), claim("somebody-else"));
    writeFileSync(join(broken, "claim.json"), claim("conformance"));
    for (const name of ["spec.json", "agent-record.json"]) writeFileSync(join(broken, name), "{");
    await using environment = await launch(target);
    const after = await recovered(await target().reopen(), environment.id);
    assert.ok(after);
    assert.deepEqual(
      others.filter((folder) => !existsSync(folder)),
      [],
    );
    await assert.rejects(launch(target, { id: "notes" }), { code: "environment-conflict" });
    for (const folder of others) rmSync(folder, { recursive: true });
  });

  test("a descriptor that the service inherited open reaches no command", async () => {
    const secret = join(stateFolder(), "secret");
    writeFileSync(secret, "secret");
    const descriptor = openSync(secret, "r");
    const service = serve(target().spec(), ["ls -l /proc/self/fd /proc/1/fd"], {
      stdio: ["ignore", "pipe", "inherit", "ignore", "ignore", descriptor, descriptor],
    });
    const output = String(await said(service, "output"));
    service.kill("SIGKILL");
    closeSync(descriptor);
    assert.match(output, /\/dev\/null/);
    assert.ok(!output.includes("secret"));
  });

  test("files that commands make are readable, whatever the service's umask is", async () => {
    const umask = process.umask(0o077);
    const service = serve(target().spec(), ["touch file; mkdir folder; stat -c %a file folder"]);
    process.umask(umask);
    assert.equal(await said(service, "output"), "644\n755\n");
    service.kill("SIGKILL");
  });

  test("a state folder that environments would see, or could not enter, is refused", async () => {
    const open = (folder: string) => openEmbedded({ stateFolder: folder, instanceId: "x", log });
    if (process.getuid?.() === 0) {
      const seen = `/opt/outwork-test-${process.pid}`;
      await assert.rejects(open(seen), {
        code: "validation-failed",
        message: /every environment sees/,
      });
      rmSync(seen, { recursive: true });
      const closed = join(tmpdir(), freshId());
      mkdirSync(closed, { mode: 0o700 });
      await assert.rejects(open(join(closed, "state")), {
        code: "validation-failed",
        message: /other users/,
      });
      rmSync(closed, { recursive: true });
    }
    const long = join(stateFolder(), "x".repeat(100));
    await assert.rejects(open(long), { code: "validation-failed", message: /107 bytes/ });
  });
});

async function recovered(
  placement: Awaited<ReturnType<typeof openEmbedded>>,
  id: string,
): Promise<TestEnvironment | null> {
  let found: TestEnvironment | null = null;
  for await (const placed of placement.recover(patience())) {
    if (placed.spec.id === id) found = new TestEnvironment(placed);
  }
  return found;
}

/** Waits for a service to say this, and returns what it said. */
async function said(service: ReturnType<typeof spawn>, key: string): Promise<unknown> {
  for await (const line of createInterface({ input: service.stdout ?? process.stdin })) {
    const told = JSON.parse(line) as Record<string, unknown>;
    if (key in told) return told[key];
  }
  throw new Error(`the service ended before it said ${key}`);
}

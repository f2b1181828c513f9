import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { containerOf, openTestDocker, specOf } from "../support/docker.ts";
import { busyboxImage, localEngine } from "../support/images.ts";

const { placement, owner } = await openTestDocker();

before(() => busyboxImage());

test("an environment is lost when its container is stopped, and the reason says so", async (t) => {
  const environment = await placement.launch(specOf("stopped"), { signal: t.signal });
  await containerOf(localEngine, owner, "stopped").kill();
  assert.equal(await environment.lost, "container-stopped");
  await environment[Symbol.asyncDispose]();
});

test("an environment is lost when its container is removed", async (t) => {
  const environment = await placement.launch(specOf("removed"), { signal: t.signal });
  await containerOf(localEngine, owner, "removed").remove({ force: true });
  assert.equal(await environment.lost, "container-removed");
  await environment[Symbol.asyncDispose]();
});

test("an environment is lost when its agent crashes", async (t) => {
  const environment = await placement.launch(specOf("crashed"), { signal: t.signal });
  const { Processes } = await containerOf(localEngine, owner, "crashed").top();
  const agent = (Processes as string[][]).find(([, , , , , , , command]) =>
    command?.startsWith("/.outwork/"),
  );
  process.kill(Number(agent?.[1]), "SIGSEGV");
  assert.equal(await environment.lost, "agent-died");
  await environment[Symbol.asyncDispose]();
});

test("an environment that we remove ourselves is not lost", async (t) => {
  const environment = await placement.launch(specOf("ours"), { signal: t.signal });
  await environment[Symbol.asyncDispose]();
  const outcome = await Promise.race([environment.lost, sleep(500, "not lost")]);
  assert.equal(outcome, "not lost");
});

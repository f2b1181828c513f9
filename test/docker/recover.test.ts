import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Placement } from "../../src/core/placement.ts";
import { LABEL, labelsOf, readLabels } from "../../src/placements/docker/labels.ts";
import {
  containerOf,
  openTestDocker,
  ownedContainers,
  reopen,
  sh,
  specOf,
} from "../support/docker.ts";
import { busyboxImage, localEngine } from "../support/images.ts";

before(() => busyboxImage());

async function recovered(placement: Placement, signal: AbortSignal) {
  const found = [];
  for await (const environment of placement.recover({ signal })) found.push(environment);
  return found.sort((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
}

test("an environment is found again as it was, its processes and their output with it", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  const spec = specOf("kept", { variables: { WHO: "me" }, labels: { team: "a" } });
  const first = await docker.placement.launch(spec, { signal });
  const argv = ["sh", "-c", "echo $WHO; sleep 600"];
  await first.agent.call("outwork/process/start", { process_id: "p1", argv }, { signal });

  const [second, ...others] = await recovered(await reopen(docker), signal);
  assert.ok(second);
  assert.deepEqual([second.spec, second.createdAt, others], [spec, first.createdAt, []]);
  const listed = await second.agent.call("outwork/process/list", {}, { signal });
  const seen = listed.processes.map(({ process_id, state }) => [process_id, state.kind]);
  assert.deepEqual(seen, [["p1", "running"]]);
  await second[Symbol.asyncDispose]();
  assert.deepEqual(await ownedContainers(localEngine, docker.owner), []);
});

test("environments that are in hand are not found a second time", async (t) => {
  const { signal } = t;
  const { placement } = await openTestDocker();
  const environment = await placement.launch(specOf("held"), { signal });
  assert.deepEqual(await recovered(placement, signal), []);
  assert.equal(await sh(environment, "echo here", signal), "here\n");
});

test("LC-09: half-built containers, errands and sockets of a crash are cleared away", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  const { owner, options } = docker;
  const labels = { [LABEL.owner]: owner };
  const image = { Image: await busyboxImage(), Cmd: ["true"] };
  await localEngine.createContainer({ ...image, Labels: labels, name: `half-${owner}` });
  const errand = { ...labels, [LABEL.errand]: "toolbox" };
  await localEngine.createContainer({ ...image, Labels: errand, name: `errand-${owner}` });
  await mkdir(join(options.stateFolder, "docker", "0123456789abcdef"), { recursive: true });
  await mkdir(join(options.stateFolder, "docker", "not-a-door"));

  assert.deepEqual(await recovered(docker.placement, signal), []);
  assert.deepEqual(await ownedContainers(localEngine, owner), []);
  assert.deepEqual(await readdir(join(options.stateFolder, "docker")), ["not-a-door"]);
});

test("LC-09: containers of others, unlabelled ones and ones that do not add up are left alone", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  const other = await openTestDocker();
  await other.placement.launch(specOf("foreign"), { signal });
  const image = { Image: await busyboxImage(), Cmd: ["sleep", "600"] };
  const bare = await localEngine.createContainer(image);
  t.after(() => bare.remove({ force: true }));
  const labels = { [LABEL.owner]: docker.owner, [LABEL.spec]: "{}" };
  const odd = await localEngine.createContainer({ ...image, Labels: labels });
  await odd.start();

  assert.deepEqual(await recovered(docker.placement, signal), []);
  assert.equal((await bare.inspect()).State.Status, "created");
  assert.equal((await odd.inspect()).State.Status, "running");
  assert.deepEqual(await ownedContainers(localEngine, other.owner), [
    `outwork-foreign-${other.owner.slice(0, 8)}`,
  ]);
});

test("a container that stopped meanwhile is found as lost, and can be removed", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  await docker.placement.launch(specOf("stopped"), { signal });
  await containerOf(localEngine, docker.owner, "stopped").stop({ t: 0 });

  const [found] = await recovered(await reopen(docker), signal);
  assert.equal(await found?.lost, "container-stopped");
  await found?.[Symbol.asyncDispose]();
  assert.deepEqual(await ownedContainers(localEngine, docker.owner), []);
});

test("an agent that is too busy to answer is found all the same", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  await docker.placement.launch(specOf("busy"), { signal });
  const container = containerOf(localEngine, docker.owner, "busy");
  await container.pause();
  const [found] = await recovered(await reopen(docker), signal);
  await container.unpause();
  assert.ok(found);
  assert.equal(await sh(found, "echo here", signal), "here\n");
});

test("an agent that answers for another environment is not taken for this one's", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  await docker.placement.launch(specOf("real"), { signal });
  const real = await containerOf(localEngine, docker.owner, "real").inspect();
  const identity = readLabels(real.Config.Labels);
  assert.ok(identity);
  const fake = await localEngine.createContainer({
    Image: await busyboxImage(),
    Labels: labelsOf(docker.owner, { ...identity, spec: specOf("fake") }),
    Entrypoint: ["sleep", "600"],
  });
  await fake.start();

  const found = await recovered(await reopen(docker), signal);
  assert.deepEqual(
    found.map(({ spec }) => spec.id),
    ["fake", "real"],
  );
  assert.equal(await found[0]?.lost, "unreachable");
});

test("a container that a crashed launch left under a name is replaced; anybody else's is not", async (t) => {
  const { signal } = t;
  const docker = await openTestDocker();
  const image = { Image: await busyboxImage(), Cmd: ["sleep", "600"] };
  const name = (id: string) => `outwork-${id}-${docker.owner.slice(0, 8)}`;
  const Labels = { [LABEL.owner]: docker.owner };
  await localEngine.createContainer({ ...image, Labels, name: name("crashed") });
  const environment = await docker.placement.launch(specOf("crashed"), { signal });
  assert.equal(await sh(environment, "echo here", signal), "here\n");

  const foreign = await localEngine.createContainer({ ...image, name: name("taken") });
  t.after(() => foreign.remove({ force: true }));
  const refused = docker.placement.launch(specOf("taken"), { signal });
  await assert.rejects(refused, { code: "environment-conflict", message: /outwork-taken-/ });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { forever } from "../../support/fake-agent.ts";
import { FakePlacement, Substrate } from "../../support/fake-placement.ts";
import { OPEN_CEILING, registryOver } from "../../support/registry.ts";

const options = { signal: new AbortController().signal };

/** A substrate that a service which is no more has left with these environments. */
async function leftBehind(ids: string[]): Promise<Substrate> {
  const substrate = new Substrate();
  const earlier = registryOver([new FakePlacement(substrate)]);
  await earlier.recover();
  for (const id of ids) await earlier.create({ id, labels: { left: "behind" } }, options);
  await earlier[Symbol.asyncDispose]();
  return substrate;
}

test("LC-01: disposing leaves environments running, and the next service has them all", async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `env${index}`);
  const substrate = await leftBehind(ids);
  const registry = registryOver([new FakePlacement(substrate)]);
  await registry.recover();
  const listed = await registry.list(options);
  assert.deepEqual(listed.map(({ id }) => id).sort(), ids.sort());
  assert.ok(listed.every(({ state }) => state.kind === "ready"));
  const { created } = await registry.create({ id: "env7", labels: { left: "behind" } }, options);
  assert.equal(created, false);
  assert.equal(substrate.launches, 50);
});

test("a placement that is away stops no other, and unknown ids are not called unknown", async (t) => {
  const [broken, fine] = [new Substrate(), await leftBehind(["a"])];
  broken.beforeRecover = async () => {
    throw new Error("the engine is away");
  };
  const registry = registryOver([new FakePlacement(broken, "docker"), new FakePlacement(fine)]);
  t.after(() => registry[Symbol.asyncDispose]());
  await registry.recover();
  assert.deepEqual([...registry.unrecovered], ["docker"]);
  assert.equal(registry.get("a").spec.id, "a");
  assert.throws(() => registry.get("b"), { code: "placement-unavailable" });
  await assert.rejects(registry.create({ placement: "docker", image: "debian" }, options), {
    code: "placement-unavailable",
  });
});

test("a placement that was away is asked again until it answers", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const substrate = await leftBehind(["a"]);
  let failures = 3;
  substrate.beforeRecover = async () => {
    failures -= 1;
    if (failures >= 0) throw new Error("the engine is away");
  };
  const registry = registryOver([new FakePlacement(substrate)]);
  await registry.recover();
  while (registry.unrecovered.size > 0) {
    t.mock.timers.tick(30_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(registry.get("a").spec.id, "a");
  await registry[Symbol.asyncDispose]();
});

test("a placement that never answers does not hold up the start for ever", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const [stuck, fine] = [new Substrate(), await leftBehind(["a"])];
  const release = new AbortController();
  stuck.beforeRecover = () => forever(release.signal);
  const registry = registryOver([new FakePlacement(stuck, "docker"), new FakePlacement(fine)]);
  const recovering = registry.recover();
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(15_000);
  await recovering;
  assert.equal(registry.get("a").spec.id, "a");
  release.abort();
  await registry[Symbol.asyncDispose]();
});

test("LC-13: of two environments with one id the known one stays, the other is left alone", async () => {
  const [first, second] = [await leftBehind(["a"]), await leftBehind(["a"])];
  const docker = second.get("a");
  second.environments.set("a", docker);
  Object.assign(docker.spec, { placement: "docker" });
  const registry = registryOver([new FakePlacement(first), new FakePlacement(second, "docker")]);
  await registry.recover();
  assert.deepEqual(
    (await registry.list(options)).map(({ id }) => id),
    ["a"],
  );
  assert.ok(first.environments.has("a"));
  assert.ok(second.environments.has("a"));
});

test("an environment above a ceiling that was lowered is listed and removable, not usable", async () => {
  const substrate = new Substrate();
  const wide = registryOver([new FakePlacement(substrate)], OPEN_CEILING);
  await wide.recover();
  const policy = { preset: "workspace-write", network_access: true } as const;
  await wide.create({ id: "a", policy }, options);
  await wide[Symbol.asyncDispose]();
  const narrow = registryOver([new FakePlacement(substrate)], { ...OPEN_CEILING, network: "off" });
  await narrow.recover();
  const call = narrow.get("a").call("outwork/process/list", {}, options);
  await assert.rejects(call, { code: "ceiling-exceeded" });
  assert.equal((await narrow.list(options)).length, 1);
  await narrow.remove("a");
  assert.equal(substrate.environments.size, 0);
});

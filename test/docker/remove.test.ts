import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { tarOf } from "../../src/placements/docker/tar.ts";
import { containerOf, openTestDocker, ownedContainers, sh, specOf } from "../support/docker.ts";
import { busyboxImage, localEngine } from "../support/images.ts";

const { placement, owner, options } = await openTestDocker();
const VOLUME_IMAGE = "outwork-test-volume";

before(() => busyboxImage());
before(async () => {
  const tar = tarOf([{ path: "data/", mode: 0o755, uid: 0, gid: 0 }]);
  const changes = ["VOLUME /data", "ENV PATH=/bin"];
  await text(await localEngine.importImage(tar, { repo: VOLUME_IMAGE, tag: "latest", changes }));
});
after(() => localEngine.getImage(VOLUME_IMAGE).remove());

/** What is left in the engine and on the disk. */
async function left(): Promise<{ containers: string[]; doors: string[] }> {
  const doors = await readdir(join(options.stateFolder, "docker"));
  return { containers: await ownedContainers(localEngine, owner), doors };
}

const nothing = { containers: [], doors: [] };

test("removing an environment leaves no container, socket or anonymous volume", async (t) => {
  const { signal } = t;
  const environment = await placement.launch(specOf("gone", { image: VOLUME_IMAGE }), { signal });
  const { Mounts } = await containerOf(localEngine, owner, "gone").inspect();
  const volume = Mounts.find(({ Destination }) => Destination === "/data")?.Name ?? "";
  await localEngine.getVolume(volume).inspect();
  await environment[Symbol.asyncDispose]();
  assert.deepEqual(await left(), nothing);
  await assert.rejects(localEngine.getVolume(volume).inspect(), { statusCode: 404 });
});

test("removing twice is harmless, also when somebody else was faster", async (t) => {
  const { signal } = t;
  const first = await placement.launch(specOf("twice"), { signal });
  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  const second = await placement.launch(specOf("twice"), { signal });
  await containerOf(localEngine, owner, "twice").remove({ force: true });
  await second[Symbol.asyncDispose]();
  assert.deepEqual(await left(), nothing);
});

test("removal ends what commands left running, in sessions of their own or not", async (t) => {
  const { signal } = t;
  const environment = await placement.launch(specOf("busy"), { signal });
  await environment.agent.call(
    "outwork/process/start",
    { process_id: "p", argv: ["sh", "-c", "setsid sleep 4242 & sleep 4242"] },
    { signal },
  );
  const { State } = await containerOf(localEngine, owner, "busy").inspect();
  await environment[Symbol.asyncDispose]();
  assert.throws(() => process.kill(State.Pid, 0), { code: "ESRCH" });
  assert.deepEqual(await left(), nothing);
});

test("a launch that is given up leaves nothing, whenever that was", async (t) => {
  await placement
    .launch(specOf("warm"), { signal: t.signal })
    .then((e) => e[Symbol.asyncDispose]());
  for (const afterMs of [0, 20, 60, 150, 300, 600]) {
    const reason = new Error("given up");
    const caller = new AbortController();
    const launch = placement.launch(specOf("never"), { signal: caller.signal });
    setTimeout(() => caller.abort(reason), afterMs);
    const outcome = await launch.then(
      (environment) => environment[Symbol.asyncDispose](),
      (error: unknown) => assert.equal(error, reason),
    );
    assert.equal(outcome, undefined);
    assert.deepEqual(await left(), nothing, `given up after ${afterMs} ms`);
  }
});

test("the id of a removed environment is free again", async (t) => {
  const { signal } = t;
  for (const word of ["one", "two"]) {
    const environment = await placement.launch(specOf("again"), { signal });
    assert.equal(await sh(environment, `ls; echo ${word} | tee file`, signal), `${word}\n`);
    await environment[Symbol.asyncDispose]();
  }
});

test("two launches of one id at once make one environment", async (t) => {
  const { signal } = t;
  const outcomes = await Promise.allSettled([
    placement.launch(specOf("once"), { signal }),
    placement.launch(specOf("once"), { signal }),
  ]);
  const made = outcomes.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  const refused = outcomes.flatMap((each) => (each.status === "rejected" ? each.reason.code : []));
  assert.deepEqual([made.length, refused], [1, ["environment-conflict"]]);
  await made[0]?.[Symbol.asyncDispose]();
  assert.deepEqual(await left(), nothing);
});

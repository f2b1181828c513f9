import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Engine } from "../../src/placements/docker/engine.ts";
import { Errands } from "../../src/placements/docker/errands.ts";
import { LABEL } from "../../src/placements/docker/labels.ts";
import { ToolboxVolume } from "../../src/placements/docker/toolbox-volume.ts";
import type { Toolbox } from "../../src/placements/toolbox/toolbox.ts";
import { ownedContainers } from "../support/docker.ts";
import { localEngine } from "../support/images.ts";

function smallToolbox(): Toolbox {
  const text = (content: string) => ({ mode: 0o444, content: { bytes: Buffer.from(content) } });
  return {
    hash: `test${randomBytes(8).toString("hex")}`,
    files: [
      { path: "lib/a", ...text("a") },
      { path: "lib/deep/b", ...text("b") },
    ],
    programs: { node: ["node"], bwrap: ["bwrap"], setsid: ["setsid"] },
  };
}

/** A service's volume, which goes with the test. */
function volumeOf(t: TestContext, toolbox: Toolbox, owner = randomBytes(6).toString("hex")) {
  const engine = new Engine({});
  const errands = new Errands(engine, owner, new Set());
  const volume = new ToolboxVolume(engine, owner, errands);
  t.after(async () => {
    for (const name of await ownedContainers(localEngine, owner)) {
      await localEngine.getContainer(name).remove({ force: true });
    }
    await engine.removeVolume(`outwork-toolbox-${toolbox.hash}`, { signal: t.signal });
  });
  return { owner, errands, ready: () => volume.ready(toolbox, { signal: t.signal }) };
}

/** Paths in a volume, read through a container of its own. */
async function pathsIn(t: TestContext, errands: Errands, name: string): Promise<string[]> {
  const { signal } = t;
  const Mounts = [{ Type: "volume" as const, Source: name, Target: "/look" }];
  const errand = { name: `look-${name}`, what: "look", options: { HostConfig: { Mounts } } };
  const tar = await errands.run(errand, { signal }, async (id) =>
    buffer(await new Engine({}).getFiles(id, "/look", { signal })),
  );
  return (
    tar
      .toString("latin1")
      .match(/look\/[\w/-]+/g)
      ?.sort() ?? []
  );
}

const WHOLE = ["look/complete", "look/lib/", "look/lib/a", "look/lib/deep/", "look/lib/deep/b"];

test("a toolbox is filled once, and by any number of services at once", async (t) => {
  const toolbox = smallToolbox();
  const services = [1, 2, 3].map(() => volumeOf(t, toolbox));
  const names = await Promise.all(services.map(({ ready }) => ready()));
  assert.deepEqual(new Set(names), new Set([`outwork-toolbox-${toolbox.hash}`]));
  const [{ errands } = services[0] as never] = services;
  assert.deepEqual(await pathsIn(t, errands, names[0] ?? ""), WHOLE);
});

test("LC-09: a fill that crashed is done again, and its container is cleared away", async (t) => {
  const toolbox = smallToolbox();
  const { owner, errands, ready } = volumeOf(t, toolbox);
  const Labels = { [LABEL.owner]: owner, [LABEL.errand]: "toolbox" };
  const name = `outwork-toolbox-${toolbox.hash}`;
  await errands.run(
    { name: "any", what: "image", options: {} },
    { signal: t.signal },
    async () => {},
  );
  const Image = "outwork-empty";
  await localEngine.createContainer({ Image, Cmd: ["x"], Labels, name: `${name}-loader` });
  await ready();
  assert.deepEqual(await pathsIn(t, errands, name), WHOLE);
  assert.deepEqual(await ownedContainers(localEngine, owner), []);
});

test("a volume that somebody removed is filled again, before anything starts from it", async (t) => {
  const toolbox = smallToolbox();
  const { errands, ready } = volumeOf(t, toolbox);
  const name = await ready();
  await localEngine.getVolume(name).remove();
  await ready();
  assert.deepEqual(await pathsIn(t, errands, name), WHOLE);
});

test("a service removes the toolboxes of its own earlier versions, and no others", async (t) => {
  const [old, current, foreign] = [smallToolbox(), smallToolbox(), smallToolbox()];
  const { owner, ready } = volumeOf(t, old);
  await ready();
  await volumeOf(t, foreign).ready();
  await volumeOf(t, current, owner).ready();
  const { Volumes } = await localEngine.listVolumes();
  const hashes = Volumes.map(({ Name }) => Name.replace("outwork-toolbox-", ""));
  const there = [old, current, foreign].map(({ hash }) => hashes.includes(hash));
  assert.deepEqual(there, [false, true, true]);
});

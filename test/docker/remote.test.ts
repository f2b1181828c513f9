import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LABEL } from "../../src/placements/docker/labels.ts";
import { tarOf } from "../../src/placements/docker/tar.ts";
import { openTestDocker, ownedContainers, reopen, sh, specOf } from "../support/docker.ts";
import { busyboxImage } from "../support/images.ts";
import { startRemoteEngine } from "../support/remote-engine.ts";

const engine = await startRemoteEngine();
const stateFolder = join(engine.hiddenFolder, "state");
await mkdir(stateFolder);
const far = await openTestDocker({ stateFolder, docker: { host: engine.host } }, engine.docker);
const { placement, owner } = far;
after(() => engine[Symbol.asyncDispose]());
await busyboxImage(engine.docker);

test("an engine that does not see our files runs environments, reached through the engine", async (t) => {
  const { signal } = t;
  const environment = await placement.launch(specOf("far"), { signal });
  t.after(() => environment[Symbol.asyncDispose]());
  const [container] = await ownedContainers(engine.docker, owner);
  const { Mounts, Config } = await engine.docker.getContainer(container ?? "").inspect();
  assert.deepEqual(
    Mounts.map(({ Type, Destination }) => [Type, Destination]),
    [["volume", "/.outwork/toolbox"]],
  );
  assert.match(Config.Labels[LABEL.door] ?? "", /^inside-/);
  assert.equal(
    await sh(environment, "pwd; id -u; ls /.outwork", signal),
    "/workspace\n1000\nbin\n",
  );
});

test("FS-04, DK-04: an upload through the engine arrives whole, and is answered after its end", async (t) => {
  const { signal } = t;
  const environment = await placement.launch(specOf("up"), { signal });
  t.after(() => environment[Symbol.asyncDispose]());
  const content = "0123456789abcdef".repeat(65_536);
  const file = {
    path: "big",
    mode: 0o644,
    uid: 0,
    gid: 0,
    content: { bytes: Buffer.from(content) },
  };
  const put = { path: "/workspace" };
  await environment.agent.write("outwork/archive/put", put, tarOf([file]), { signal });
  const sum = createHash("sha256").update(content).digest("hex");
  const seen = await sh(environment, "sha256sum big; stat -c %u big", signal);
  assert.equal(seen, `${sum}  big\n1000\n`);
});

test("OU-08: a slow reader gets every byte of a large download through the engine", async (t) => {
  const { signal } = t;
  const environment = await placement.launch(specOf("down"), { signal });
  t.after(() => environment[Symbol.asyncDispose]());
  await sh(environment, "head -c 16777216 /dev/zero > big", signal);
  const path = "/workspace/big";
  const stream = await environment.agent.read("outwork/archive/get", { path }, { signal });
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes < 1_048_576) await sleep(5);
  }
  assert.ok(bytes > 16_777_216 && bytes % 512 === 0, `${bytes} bytes of tar`);
});

test("a far environment is found again, and removed without a trace", async (t) => {
  const { signal } = t;
  const first = await placement.launch(specOf("found"), { signal });
  const argv = ["sleep", "600"];
  await first.agent.call("outwork/process/start", { process_id: "p", argv }, { signal });
  const found = [];
  for await (const each of (await reopen(far)).recover({ signal })) found.push(each);
  const [second] = found;
  assert.ok(second);
  const { processes } = await second.agent.call("outwork/process/list", {}, { signal });
  const seen = processes.map(({ process_id, state }) => [process_id, state.kind]);
  assert.deepEqual([found.length, seen], [1, [["p", "running"]]]);
  await second[Symbol.asyncDispose]();
  assert.deepEqual(await ownedContainers(engine.docker, owner), []);
});

test("an engine that goes away and comes back loses nothing but what ended meanwhile", async (t) => {
  const { signal } = t;
  const kept = await placement.launch(specOf("kept"), { signal });
  const ended = await placement.launch(specOf("ended"), { signal });
  t.after(() => kept[Symbol.asyncDispose]());
  engine.disconnect();
  const away = { code: "placement-unavailable", retryable: true };
  await assert.rejects(placement.launch(specOf("new"), { signal }), away);
  await assert.rejects(async () => kept[Symbol.asyncDispose](), away);
  await engine.docker.getContainer(`outwork-ended-${owner.slice(0, 8)}`).kill();
  engine.reconnect();
  assert.equal(await ended.lost, "container-stopped");
  await ended[Symbol.asyncDispose]();
  assert.equal(await sh(kept, "echo here", signal), "here\n");
  await engine.docker.getContainer(`outwork-kept-${owner.slice(0, 8)}`).kill();
  assert.equal(await kept.lost, "container-stopped");
});

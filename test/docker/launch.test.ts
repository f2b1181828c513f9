import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { before, type TestContext, test } from "node:test";
import type { EnvironmentSpec } from "../../src/contract/environment.ts";
import type { Placed } from "../../src/core/placement.ts";
import { LABEL } from "../../src/placements/docker/labels.ts";
import { tarOf } from "../../src/placements/docker/tar.ts";
import { containerOf, openTestDocker, ownedContainers, sh, specOf } from "../support/docker.ts";
import { busyboxImage, debianImage, localEngine } from "../support/images.ts";

const docker = await openTestDocker();
const { placement, owner } = docker;
let count = 0;

before(() => Promise.all([busyboxImage(), debianImage()]));

async function launched(
  t: TestContext,
  overrides: Partial<EnvironmentSpec> = {},
): Promise<{ environment: Placed; signal: AbortSignal }> {
  count += 1;
  const { signal } = t;
  const environment = await placement.launch(specOf(`env${count}`, overrides), { signal });
  t.after(() => environment[Symbol.asyncDispose]());
  return { environment, signal };
}

test("an environment runs in an image without libc, shell startup files or users", async (t) => {
  const { environment, signal } = await launched(t);
  const { environment_id, owner: answered } = await environment.agent.call(
    "outwork/hello",
    {},
    { signal },
  );
  assert.deepEqual([environment_id, answered], [environment.spec.id, owner]);
  const seen = await sh(
    environment,
    "exec 2>&1; pwd; id -u; touch a && ls; touch /b; ls /.outwork",
    signal,
  );
  assert.equal(seen, "/workspace\n1000\na\ntouch: /b: Read-only file system\nbin\n");
});

test("an environment starts in an image with nothing in it", async (t) => {
  const { environment, signal } = await launched(t, { image: "outwork-empty" });
  const { version } = await environment.agent.call("outwork/hello", {}, { signal });
  assert.match(version, /^\d/);
});

test("commands get the image's variables and the environment's own; the agent gets neither", async (t) => {
  const { environment, signal } = await launched(t, { variables: { OWN: "yes", MARK: "own" } });
  const seen = await sh(environment, 'echo "$MARK $OWN $HOME $PATH"', signal);
  assert.equal(seen, "own yes /home/outwork /.outwork/bin:/bin\n");
  const { State } = await containerOf(localEngine, owner, environment.spec.id).inspect();
  const variables = readFileSync(`/proc/${State.Pid}/environ`, "latin1").split("\0");
  assert.deepEqual(variables.filter((line) => /^(MARK|OWN|PATH)=/.test(line)).sort(), [
    "MARK=",
    "PATH=",
  ]);
});

test("the container has what its profile says and nothing else", async (t) => {
  const { environment } = await launched(t);
  const { id } = environment.spec;
  const { Config, HostConfig, Mounts, Name } = await containerOf(localEngine, owner, id).inspect();
  const { SecurityOpt, MaskedPaths, ReadonlyPaths, CapDrop, CapAdd, Init } = HostConfig;
  assert.deepEqual(
    {
      name: Name,
      user: Config.User,
      hostname: Config.Hostname,
      network: HostConfig.NetworkMode,
      security: SecurityOpt?.map((option: string) => option.slice(0, 20)),
      masks: [MaskedPaths, ReadonlyPaths],
      capabilities: [CapAdd, CapDrop],
      privileged: HostConfig.Privileged,
      init: Init,
      mounts: Mounts.map(({ Type, Destination, RW }) => [Type, Destination, RW]).sort(),
      environment: Config.Labels[LABEL.environment],
    },
    {
      name: `/outwork-${id}-${owner.slice(0, 8)}`,
      user: "1000:1000",
      hostname: id,
      network: "none",
      security: ["no-new-privileges", 'seccomp={"defaultAct'],
      masks: [[], []],
      capabilities: [null, ["ALL"]],
      privileged: false,
      init: true,
      mounts: [
        ["bind", "/.outwork/run", true],
        ["volume", "/.outwork/toolbox", false],
      ],
      environment: id,
    },
  );
});

test("limits are the kernel's, and there is no swap beyond them", async (t) => {
  const limits = { memory_bytes: 134_217_728, pids: 90, cpus: 0.5 };
  const { environment } = await launched(t, { limits });
  const { HostConfig } = await containerOf(localEngine, owner, environment.spec.id).inspect();
  const { Memory, MemorySwap, PidsLimit, NanoCpus } = HostConfig;
  assert.deepEqual(
    { Memory, MemorySwap, PidsLimit, NanoCpus },
    { Memory: 134_217_728, MemorySwap: 134_217_728, PidsLimit: 90, NanoCpus: 500_000_000 },
  );
});

test("a fork bomb ends at the limit of processes, and the agent outlives it", async (t) => {
  const { environment, signal } = await launched(t, { limits: { pids: 64 } });
  const bomb = "i=0; while [ $i -lt 200 ]; do sleep 2 & i=$((i+1)); done 2>&1 | tail -n 1";
  assert.match(await sh(environment, bomb, signal), /can't fork|Resource temporarily unavailable/);
  await environment.agent.call("outwork/hello", {}, { signal });
});

test("ids of the longest and the oddest form have environments", async (t) => {
  for (const id of ["x".repeat(64), "-_-"]) {
    const environment = await placement.launch(specOf(id), { signal: t.signal });
    t.after(() => environment[Symbol.asyncDispose]());
    assert.equal(await sh(environment, "hostname", t.signal), `${id}\n`);
  }
});

test("a network is there only for an environment whose policy has it", async (t) => {
  const off = await launched(t);
  const policy = { ...off.environment.spec.policy, network: "on" as const };
  const on = await launched(t, { policy });
  const names = "ls /sys/class/net | tr '\\n' ' '";
  assert.equal(await sh(off.environment, names, off.signal), "lo ");
  const network = await containerOf(localEngine, owner, on.environment.spec.id).inspect();
  assert.equal(network.HostConfig.NetworkMode, "bridge");
  assert.match(await sh(on.environment, "cat /proc/net/dev", on.signal), /eth0/);
});

test("a workspace deep in an image that has only some of its parents belongs to the user", async (t) => {
  const workspace = "/usr/local/share/a/b";
  const image = "outwork-test-debian";
  const files = { write: [workspace], protected_names: [".git"] };
  const policy = { preset: "workspace-write" as const, files, network: "off" as const };
  const { environment, signal } = await launched(t, { workspace, image, policy });
  const seen = await sh(environment, "stat -c '%a %u %n' . .. ../.. /home /home/outwork", signal);
  const paths =
    "755 1000 .\n755 65534 ..\n755 65534 ../..\n755 65534 /home\n755 1000 /home/outwork\n";
  assert.equal(seen, paths);
});

test("a workspace that cannot be one is refused by name", async (t) => {
  const at = (workspace: string) =>
    placement.launch(specOf("nowhere", { workspace }), { signal: t.signal });
  for (const workspace of ["/", "/etc", "/proc/x", "/.outwork", "/dev/shm", "/bin/busybox"]) {
    const refused = { code: "validation-failed", message: new RegExp(`cannot be ${workspace}:`) };
    await assert.rejects(at(workspace), refused, workspace);
  }
  assert.equal((await ownedContainers(localEngine, owner)).includes("nowhere"), false);
});

test("FS-04: uploaded files belong to the user that commands run as", async (t) => {
  const { environment, signal } = await launched(t);
  const tar = tarOf([
    { path: "a/b.txt", mode: 0o644, uid: 0, gid: 0, content: { bytes: Buffer.from("one\n") } },
  ]);
  const put = { path: "/workspace" };
  const { entries } = await environment.agent.write("outwork/archive/put", put, tar, { signal });
  assert.equal(entries, 1);
  const seen = await sh(environment, "echo two >> a/b.txt; cat a/b.txt; rm -r a; ls", signal);
  assert.equal(seen, "one\ntwo\n");
});

test("LC-11: no zombie is left of five hundred orphans", async (t) => {
  const { environment, signal } = await launched(t);
  const orphan = "i=0; while [ $i -lt 500 ]; do (true &) ; i=$((i+1)); done; echo made";
  assert.equal(await sh(environment, orphan, signal), "made\n");
  const container = containerOf(localEngine, owner, environment.spec.id);
  const { Processes } = await container.top({ ps_args: "-eo pid,stat" });
  const zombies = (Processes as string[][]).filter(([, state]) => state?.startsWith("Z"));
  assert.deepEqual(zombies, []);
});

test("an image that is nowhere is not found, with what the engine said about it", async (t) => {
  const image = "localhost:1/outwork/none:1";
  const found = placement.launch(specOf("none", { image }), { signal: t.signal });
  await assert.rejects(found, {
    code: "image-not-found",
    message: /^The engine has no image localhost:1\/outwork\/none:1 and could not pull it: .+/,
    facts: { image },
  });
});

test("limits that the engine cannot give are refused with its own words", async (t) => {
  const limits = { cpus: 1000 };
  const refused = placement.launch(specOf("greedy", { limits }), { signal: t.signal });
  await assert.rejects(refused, { code: "enforcement-missing", message: /CPUs/ });
  assert.equal(existsSync(`${docker.options.stateFolder}/docker/greedy`), false);
});

test("the smallest memory that a spec may ask for is enough for an agent and a shell", async (t) => {
  const { environment, signal } = await launched(t, { limits: { memory_bytes: 16_777_216 } });
  assert.equal(await sh(environment, "echo here", signal), "here\n");
});

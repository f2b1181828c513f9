import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type Docker from "dockerode";
import { pino } from "pino";
import type { EnvironmentSpec } from "../../src/contract/environment.ts";
import type { Placed, Placement } from "../../src/core/placement.ts";
import { type DockerOptions, openDocker } from "../../src/placements/docker/index.ts";
import { LABEL, ownerLabel } from "../../src/placements/docker/labels.ts";
import { localEngine } from "./images.ts";

/** A spec with the defaults of the service. */
export function specOf(id: string, overrides: Partial<EnvironmentSpec> = {}): EnvironmentSpec {
  return {
    id,
    placement: "docker",
    image: "outwork-test-busybox",
    policy: {
      preset: "workspace-write",
      files: { write: ["/workspace", "/tmp"], protected_names: [".git"] },
      network: "off",
    },
    variables: {},
    limits: {},
    workspace: "/workspace",
    labels: {},
    lifetime_ms: null,
    idle_timeout_ms: null,
    ...overrides,
  };
}

/** A placement of a service that nothing else belongs to. */
export interface TestDocker {
  readonly options: DockerOptions;
  readonly placement: Placement;
  readonly owner: string;
}

/**
 * Opens a placement for the tests of one file. What it left in `engine` goes with them; null where
 * nothing can be left.
 */
export async function openTestDocker(
  overrides: Partial<DockerOptions> = {},
  engine: Docker | null = localEngine,
): Promise<TestDocker> {
  const owner = `test${randomBytes(6).toString("hex")}`;
  const stateFolder = await mkdtemp(join(tmpdir(), "outwork-"));
  const log = pino({ level: "silent" });
  const options = { stateFolder, instanceId: owner, docker: {}, log, ...overrides };
  const placement = await openDocker(options);
  after(async () => {
    await placement[Symbol.asyncDispose]();
    if (engine !== null) await removeOwned(engine, owner);
    await rm(stateFolder, { recursive: true, force: true });
  });
  return { options, placement, owner };
}

/** A second service process with the same identity, as after a crash of the first. */
export async function reopen({ options }: TestDocker): Promise<Placement> {
  const placement = await openDocker(options);
  after(() => placement[Symbol.asyncDispose]());
  return placement;
}

/** Containers with the owner's label, whatever their state: names without the leading slash. */
export async function ownedContainers(engine: Docker, owner: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [ownerLabel(owner)] });
  const listed = await engine.listContainers({ all: true, filters });
  return listed.map(({ Names }) => Names[0]?.slice(1) ?? "").sort();
}

export function containerOf(engine: Docker, owner: string, id: string): Docker.Container {
  return engine.getContainer(`outwork-${id}-${owner.slice(0, 8)}`);
}

/** How long a toolbox of tests is kept for the next run, which often has the same. */
const KEPT_TOOLBOX_MS = 3_600_000;

async function removeOwned(engine: Docker, owner: string): Promise<void> {
  for (const name of await ownedContainers(engine, owner)) {
    await engine.getContainer(name).remove({ force: true, v: true });
  }
  await removeOldToolboxes(engine);
}

async function removeOldToolboxes(engine: Docker): Promise<void> {
  const filters = JSON.stringify({ label: [LABEL.toolbox] });
  const { Volumes } = await engine.listVolumes({ filters });
  const old = Volumes.filter((volume) => {
    const { CreatedAt = "" } = volume as { CreatedAt?: string };
    const isOfTests = volume.Labels?.[LABEL.owner]?.startsWith("test") ?? false;
    return isOfTests && Date.now() - new Date(CreatedAt).getTime() > KEPT_TOOLBOX_MS;
  });
  // One that is in use stays: the engine refuses.
  await Promise.allSettled(old.map(({ Name }) => engine.getVolume(Name).remove()));
}

/** Runs a shell line in an environment and gives back what it printed. */
export async function sh(environment: Placed, cmd: string, signal: AbortSignal): Promise<string> {
  const command = { cmd, yield_time_ms: 30_000 };
  const { output } = await environment.agent.call("outwork/exec_command", command, { signal });
  return output;
}

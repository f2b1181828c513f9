import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { EnvironmentSpec } from "../../src/contract/environment.ts";
import type { Placed, Placement } from "../../src/core/placement.ts";
import { foldersOf } from "../../src/placements/embedded/folders.ts";
import { openEmbedded } from "../../src/placements/embedded/index.ts";
import { processesWith } from "./host-processes.ts";
import { freshId, type PlacementTarget, type SpecOverrides } from "./placement-target.ts";
import { WORKSPACE_WRITE } from "./policies.ts";
import { patience } from "./run.ts";

const OWNER = "conformance";
const CGROUPS = "/sys/fs/cgroup";
const log = pino({ level: "silent" });

/** The embedded placement with a state folder of its own, as whoever runs the tests. */
export async function openEmbeddedTarget(): Promise<PlacementTarget> {
  const stateFolder = await mkdtemp(join(tmpdir(), "ow-suite-"));
  await chmod(stateFolder, 0o755);
  const reopen = (owner = OWNER) => openEmbedded({ stateFolder, instanceId: owner, log });
  return new EmbeddedTarget(stateFolder, reopen, await reopen());
}

export class EmbeddedTarget implements PlacementTarget {
  readonly traits = {
    fullAccess: "own-folders",
    limits: process.getuid?.() === 0,
    ownFileSystem: false,
  } as const;
  readonly stateFolder: string;
  readonly reopen: (owner?: string) => Promise<Placement>;
  readonly placement: Placement;

  constructor(
    stateFolder: string,
    reopen: (owner?: string) => Promise<Placement>,
    placement: Placement,
  ) {
    this.stateFolder = stateFolder;
    this.reopen = reopen;
    this.placement = placement;
  }

  spec(overrides: SpecOverrides = {}): EnvironmentSpec {
    return {
      id: freshId(),
      placement: "embedded",
      image: null,
      policy: WORKSPACE_WRITE,
      variables: {},
      limits: {},
      workspace: "/workspace",
      labels: {},
      lifetime_ms: null,
      idle_timeout_ms: null,
      ...overrides,
    };
  }

  async killAgent({ spec }: Placed): Promise<void> {
    for (const pid of this.#agents(spec.id)) process.kill(pid, "SIGKILL");
  }

  async agentMemory({ spec }: Placed): Promise<number> {
    const [pid = 0] = this.#agents(spec.id);
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  }

  #agents(environmentId: string): number[] {
    return processesWith(foldersOf(this.stateFolder, environmentId).agentConfig);
  }

  async leftovers(environmentId: string): Promise<readonly string[]> {
    const { root, run } = foldersOf(this.stateFolder, environmentId);
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return [
      ...[root, run].filter((folder) => existsSync(folder)),
      ...groupsOf(environmentId),
      ...processesWith(run).map((pid) => `process ${pid}`),
      ...mounts.filter((line) => line.includes(environmentId)),
    ];
  }

  /** A failed test may have left environments: they go as a restarted service would have them go. */
  async [Symbol.asyncDispose](): Promise<void> {
    for await (const left of this.placement.recover(patience())) await left[Symbol.asyncDispose]();
    await this.placement[Symbol.asyncDispose]();
    await rm(this.stateFolder, { recursive: true, force: true });
  }
}

function groupsOf(environmentId: string): string[] {
  const controllers = existsSync(CGROUPS) ? readdirSync(CGROUPS) : [];
  return [CGROUPS, ...controllers.map((name) => join(CGROUPS, name))]
    .map((folder) => join(folder, "outwork"))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => name.includes(environmentId));
}

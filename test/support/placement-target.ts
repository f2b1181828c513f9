import { randomBytes } from "node:crypto";
import { after, before } from "node:test";
import type { EnvironmentSpec } from "../../src/contract/environment.ts";
import type { EffectivePolicy } from "../../src/contract/policy.ts";
import type { Placed, Placement } from "../../src/core/placement.ts";
import { TestEnvironment } from "./placement-environment.ts";
import { patience } from "./run.ts";

export type SpecOverrides = Partial<Omit<EnvironmentSpec, "policy">> & {
  readonly policy?: EffectivePolicy;
};

/** How adapters may differ, as each declares of itself. */
export interface Traits {
  /** What `danger-full-access` writes: the whole tree, or the environment's own folders. */
  readonly fullAccess: "everything" | "own-folders";
  /** Whether limits are enforced; where not, they are refused by name. */
  readonly limits: boolean;
  /** Whether any absolute path can be a writable root. */
  readonly ownFileSystem: boolean;
}

/** One placement under test, and what the suite cannot see through the port. */
export interface PlacementTarget extends AsyncDisposable {
  readonly placement: Placement;
  readonly traits: Traits;
  /** A spec that can be launched here. Its id is new each time. */
  spec(overrides?: SpecOverrides): EnvironmentSpec;
  /** A placement over the same state, as a restarted service opens it. */
  reopen(owner?: string): Promise<Placement>;
  /** Kills an environment's agent, as a crash would. */
  killAgent(placed: Placed): Promise<void>;
  /** Memory of an environment's agent, in bytes. */
  agentMemory(placed: Placed): Promise<number>;
  /** What is left of an environment on the substrate: folders, sockets, groups, containers. */
  leftovers(environmentId: string): Promise<readonly string[]>;
}

/** What it takes to launch an environment. */
export type Launcher = () => Pick<PlacementTarget, "placement" | "spec">;

export type OpenTarget = () => Promise<PlacementTarget>;

/** The target of a suite, once its first hook has run. */
export type Target = () => PlacementTarget;

/** Opens a target for the tests of the surrounding `describe`, and closes it after them. */
export function useTarget(open: OpenTarget): Target {
  let target: PlacementTarget | undefined;
  before(async () => {
    target = await open();
  });
  after(async () => {
    await target?.[Symbol.asyncDispose]();
  });
  return () => {
    if (!target) throw new Error("the target is not open yet");
    return target;
  };
}

/** Launches one environment for the tests of the surrounding `describe`, and removes it after them. */
export function useEnvironment(target: Launcher, overrides?: SpecOverrides): () => TestEnvironment {
  let environment: TestEnvironment | undefined;
  before(async () => {
    environment = await launch(target, overrides);
  });
  after(async () => {
    await environment?.[Symbol.asyncDispose]();
  });
  return () => {
    if (!environment) throw new Error("the environment is not launched yet");
    return environment;
  };
}

/** Launches an environment that the caller removes: `await using environment = await launch(…)`. */
export async function launch(
  target: Launcher,
  overrides?: SpecOverrides,
): Promise<TestEnvironment> {
  const { placement } = target();
  return new TestEnvironment(await placement.launch(target().spec(overrides), patience()));
}

/** An id that nothing else on this machine has. */
export function freshId(): string {
  return `test_${randomBytes(8).toString("hex")}`;
}

import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { EnvironmentSpec } from "../../src/contract/environment.ts";
import type { Variables } from "../../src/contract/ids.ts";
import type { EffectivePolicy } from "../../src/contract/policy.ts";
import type { Placement } from "../../src/core/placement.ts";
import { openDocker } from "../../src/placements/docker/index.ts";
import { foldersOf } from "../../src/placements/embedded/folders.ts";
import { openEmbedded } from "../../src/placements/embedded/index.ts";
import { debianImage } from "../support/images.ts";
import { TestEnvironment } from "../support/placement-environment.ts";
import { freshId } from "../support/placement-target.ts";
import { patience } from "../support/run.ts";

/** A placement under attack, and what an attacker would love to know of it. */
export interface Ground extends AsyncDisposable {
  readonly placement: Placement;
  readonly image: string | null;
  readonly stateFolder: string;
  /** Where an environment's agent listens, by the path that it has where the agent runs. */
  socketOf(id: string): string;
  /** The folder of an environment where the agent runs; null where commands have the same tree. */
  folderOf(id: string): string | null;
}

export type GroundKind = "embedded" | "docker";

export function openGround(kind: GroundKind): Promise<Ground> {
  return kind === "embedded" ? openEmbeddedGround() : openDockerGround();
}

async function openEmbeddedGround(): Promise<Ground> {
  const stateFolder = await stateFolderFor("embedded");
  const options = { stateFolder, instanceId: "escape", log: pino({ level: "silent" }) };
  const placement = await openEmbedded(options);
  return {
    placement,
    image: null,
    stateFolder,
    socketOf: (id) => foldersOf(stateFolder, id).socket,
    folderOf: (id) => foldersOf(stateFolder, id).root,
    [Symbol.asyncDispose]: () => close(placement, stateFolder),
  };
}

async function openDockerGround(): Promise<Ground> {
  const stateFolder = await stateFolderFor("docker");
  const image = await debianImage();
  const placement = await openDocker({
    ...{ stateFolder, instanceId: freshId(), docker: {} },
    log: pino({ level: "silent" }),
  });
  return {
    placement,
    image,
    stateFolder,
    socketOf: () => "/.outwork/run/agent.sock",
    folderOf: () => null,
    [Symbol.asyncDispose]: () => close(placement, stateFolder),
  };
}

async function stateFolderFor(kind: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `ow-esc-${kind[0]}-`));
  await chmod(folder, 0o711);
  return folder;
}

async function close(placement: Placement, stateFolder: string): Promise<void> {
  await placement[Symbol.asyncDispose]();
  await rm(stateFolder, { recursive: true, force: true });
}

/** Launches an environment that the caller removes. */
export async function launchOn(
  { placement, image }: Ground,
  policy: EffectivePolicy,
  variables: Variables = {},
): Promise<TestEnvironment> {
  const spec: EnvironmentSpec = {
    id: freshId(),
    placement: placement.kind,
    image,
    policy,
    variables,
    limits: {},
    workspace: "/workspace",
    labels: {},
    lifetime_ms: null,
    idle_timeout_ms: null,
  };
  return new TestEnvironment(await placement.launch(spec, patience()));
}

import type { EnvironmentSpec } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { asError, OutworkError } from "../../errors.ts";
import { agentProgram, containerName, type Plan } from "./container.ts";
import { createContainer } from "./create.ts";
import { kindOf } from "./doors.ts";
import { DockerEnvironment } from "./environment.ts";
import { checkLimits } from "./facts.ts";
import { checkWorkspace } from "./folders.ts";
import { findImage } from "./images.ts";
import type { Parts } from "./parts.ts";
import { startAgent } from "./start.ts";

/** From a created container to an agent that answers; far more than a busy engine takes. */
const START_TIMEOUT_MS = 60_000;

/** Makes one environment. What was half built is undone before the promise rejects. */
export async function launch(
  parts: Parts,
  spec: EnvironmentSpec,
  wait: WaitOptions,
): Promise<DockerEnvironment> {
  const name = containerName(spec.id, parts.owner);
  if (parts.inUse.has(name)) throw alreadyThere(spec.id);
  parts.inUse.add(name);
  try {
    return await start(parts, await planLaunch(parts, spec, name, wait), wait);
  } catch (error) {
    parts.inUse.delete(name);
    throw error;
  }
}

async function planLaunch(
  { groundwork, engine, volume, doors, ids, owner }: Parts,
  spec: EnvironmentSpec,
  name: string,
  wait: WaitOptions,
): Promise<Plan> {
  if (spec.image === null) throw imageNeeded(spec.id);
  checkWorkspace(spec.workspace);
  const { facts, walls, toolbox, doorKind } = await groundwork.ready(wait);
  checkLimits(spec.limits, facts);
  const [image, toolboxVolume] = await Promise.all([
    findImage(engine, spec.image, wait),
    volume.ready(toolbox, wait),
  ]);
  const door = await doors.open(doorKind);
  return {
    containerName: name,
    identity: { spec, createdAt: new Date(), door },
    owner,
    image,
    ids,
    walls,
    toolbox,
    toolboxVolume,
    socketFolder: kindOf(door) === "folder" ? doors.folder(door) : null,
  };
}

async function start(parts: Parts, plan: Plan, wait: WaitOptions): Promise<DockerEnvironment> {
  const containerId = await create(parts, plan);
  const environment = new DockerEnvironment({
    ...parts,
    identity: plan.identity,
    containerId,
    agentProgram: agentProgram(plan.toolbox),
    following: parts.losses.follow(containerId),
    onRemoved: () => parts.inUse.delete(plan.containerName),
  });
  const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
  const signal = AbortSignal.any([wait.signal, deadline]);
  try {
    await startAgent(parts.engine, containerId, plan, { signal });
    await environment.verify({ signal });
    return environment;
  } catch (error) {
    await undo(parts, environment);
    wait.signal.throwIfAborted();
    throw deadline.aborted ? tooSlow(plan.identity.spec.id) : error;
  }
}

async function create({ engine, doors }: Parts, plan: Plan): Promise<string> {
  try {
    return await createContainer(engine, plan);
  } catch (error) {
    await doors.close(plan.identity.door);
    throw error;
  }
}

async function undo({ log }: Parts, environment: DockerEnvironment): Promise<void> {
  try {
    await environment[Symbol.asyncDispose]();
  } catch (error) {
    const environmentId = environment.spec.id;
    log.error({ err: asError(error), environmentId }, "a failed launch could not be undone");
  }
}

function tooSlow(id: string): OutworkError {
  return new OutworkError(
    "agent-unreachable",
    `The agent of ${id} was not ready within ${START_TIMEOUT_MS} ms.`,
  );
}

function alreadyThere(id: string): OutworkError {
  return new OutworkError("environment-conflict", `The environment ${id} has a container already.`);
}

function imageNeeded(id: string): OutworkError {
  return new OutworkError(
    "validation-failed",
    `The environment ${id} names no image: on the docker placement every environment needs one.`,
  );
}

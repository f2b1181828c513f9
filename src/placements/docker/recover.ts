import type { Program } from "../../contract/agent.ts";
import type { LossReason } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { asError } from "../../errors.ts";
import type { ContainerDetails, ContainerSummary } from "./engine.ts";
import { DockerEnvironment } from "./environment.ts";
import { undoing } from "./errands.ts";
import { type Identity, LABEL, ownerLabel, readLabels } from "./labels.ts";
import { type Following, lossOf } from "./losses.ts";
import type { Parts } from "./parts.ts";

/** An agent that was left running answers at once, or is taken for lost. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Finds our environments again and clears away what is of no use to anybody: half-built containers,
 * forgotten errands, sockets without a container. What belongs to others is not even looked at.
 */
export async function recover(parts: Parts, wait: WaitOptions): Promise<DockerEnvironment[]> {
  const { engine, owner, inUse, doors } = parts;
  const listed = await engine.listContainers([ownerLabel(owner)], wait);
  const left = listed.filter(({ Names }) => !Names.some((name) => inUse.has(name.slice(1))));
  const found = await Promise.all(left.map((container) => judge(parts, container, wait)));
  await doors.sweep(new Set(listed.flatMap(({ Labels }) => Labels[LABEL.door] ?? [])));
  return found.filter((environment) => environment !== null);
}

async function judge(
  parts: Parts,
  { Id, State, Labels }: ContainerSummary,
  wait: WaitOptions,
): Promise<DockerEnvironment | null> {
  const isHalfBuilt = ["created", "removing", "dead"].includes(State);
  if (LABEL.errand in Labels || isHalfBuilt) {
    await parts.engine.removeContainer(Id, undoing());
    return null;
  }
  const identity = readLabels(Labels);
  if (identity === null) {
    parts.log.error(
      { containerId: Id },
      "a container has our label and does not add up; left alone",
    );
    return null;
  }
  const details = await parts.engine.inspectContainer(Id, wait);
  return details === null ? null : adopt(parts, identity, details, wait);
}

async function adopt(
  parts: Parts,
  identity: Identity,
  details: ContainerDetails,
  wait: WaitOptions,
): Promise<DockerEnvironment> {
  const name = details.Name.slice(1);
  const containerId = details.Id;
  const loss = lossOf(details, false);
  const make = (following: Following) =>
    new DockerEnvironment({
      ...parts,
      identity,
      containerId,
      agentProgram: agentProgramOf(details),
      following,
      onRemoved: () => parts.inUse.delete(name),
    });
  parts.inUse.add(name);
  if (loss !== null) return make(alreadyLost(loss));
  const environment = make(parts.losses.follow(containerId));
  return (await answers(parts, environment, wait)) ? environment : make(alreadyLost("unreachable"));
}

async function answers(
  { log }: Parts,
  environment: DockerEnvironment,
  wait: WaitOptions,
): Promise<boolean> {
  const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
  try {
    await environment.verify({ signal });
    return true;
  } catch (error) {
    wait.signal.throwIfAborted();
    const environmentId = environment.spec.id;
    log.warn(
      { err: asError(error), environmentId },
      "an agent that was left running does not answer",
    );
    return false;
  }
}

function alreadyLost(reason: LossReason): Following {
  return { lost: Promise.resolve(reason), stop: () => {} };
}

/** argv of the agent as that container was made to start it: it may be an older one. */
function agentProgramOf({ Config }: ContainerDetails): Program {
  return [Config.Entrypoint ?? []].flat().slice(0, -2);
}

import type { Program } from "../../contract/agent.ts";
import type { LossReason } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { asError, OutworkError } from "../../errors.ts";
import type { ContainerDetails, ContainerSummary } from "./engine.ts";
import { DockerEnvironment } from "./environment.ts";
import { undoing } from "./errands.ts";
import { type Identity, LABEL, ownerLabel, readLabels } from "./labels.ts";
import { type Following, lossOf } from "./losses.ts";
import type { Parts } from "./parts.ts";

/** An agent that was left running answers at once, unless the machine is very busy. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Finds our environments again and clears away what is of no use to anybody: half-built containers,
 * forgotten errands, sockets without a container. What belongs to others is not even looked at. A
 * failure is thrown when all that could be found has been, so that the rest may be tried again.
 */
export async function* recover(parts: Parts, wait: WaitOptions): AsyncGenerator<DockerEnvironment> {
  const { engine, owner, inUse, doors } = parts;
  const listed = await engine.listContainers([ownerLabel(owner)], wait);
  await doors.sweep(new Set(listed.flatMap(({ Labels }) => Labels[LABEL.door] ?? [])));
  const left = listed.filter(({ Names }) => !Names.some((name) => inUse.has(name.slice(1))));
  const judged = await Promise.allSettled(left.map((container) => judge(parts, container, wait)));
  for (const outcome of judged) {
    if (outcome.status === "fulfilled" && outcome.value !== null) yield outcome.value;
  }
  const failed = judged.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
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
  if (details === null) return null;
  const environment = await adopt(parts, identity, details, wait);
  parts.inUse.add(details.Name.slice(1));
  return environment;
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
  if (loss !== null) return make(alreadyLost(loss));
  const following = parts.losses.follow(containerId);
  const environment = make(following);
  try {
    if (await isReachable(parts, environment, wait)) return environment;
  } catch (error) {
    following.stop();
    throw error;
  }
  following.stop();
  return make(alreadyLost("unreachable"));
}

/**
 * Is there an agent behind this container, and the right one? One that is merely slow counts: it is
 * there, since the container would have ended with it.
 * @throws `placement-unavailable` the engine went away meanwhile
 */
async function isReachable(
  { log }: Parts,
  environment: DockerEnvironment,
  wait: WaitOptions,
): Promise<boolean> {
  const deadline = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    await environment.verify({ signal: AbortSignal.any([wait.signal, deadline]) });
    return true;
  } catch (error) {
    wait.signal.throwIfAborted();
    if (error instanceof OutworkError && error.code === "placement-unavailable") throw error;
    const environmentId = environment.spec.id;
    log.warn(
      { err: asError(error), environmentId },
      "an agent that was left running does not answer",
    );
    return deadline.aborted;
  }
}

function alreadyLost(reason: LossReason): Following {
  return { lost: Promise.resolve(reason), stop: () => {} };
}

/** argv of the agent as that container was made to start it: it may be an older one. */
function agentProgramOf({ Config }: ContainerDetails): Program {
  return [Config.Entrypoint ?? []].flat().slice(0, -2);
}

import { OutworkError } from "../../errors.ts";
import { containerOptions, type Plan } from "./container.ts";
import { CONFLICT, type Engine } from "./engine.ts";
import { EngineRefusal } from "./engine-call.ts";
import { undoing } from "./errands.ts";
import { LABEL } from "./labels.ts";

const BAD_REQUEST = 400;
const NOT_FOUND = 404;

/**
 * Creates the planned container. Not to be given up half way, since one without a known id could not
 * be removed: the call has its own deadline. What a crashed launch left under the name is replaced.
 * @throws `environment-conflict` the name is taken by something that is not ours to remove
 * @throws `enforcement-missing` the engine cannot make such a container
 */
export async function createContainer(engine: Engine, plan: Plan): Promise<string> {
  const options = containerOptions(plan);
  try {
    return await engine.createContainer(options, undoing());
  } catch (error) {
    if (!isConflict(error)) throw inOurWords(error, plan);
    await removeLeftover(engine, plan);
    return await engine.createContainer(options, undoing()).catch((again: unknown) => {
      throw inOurWords(again, plan);
    });
  }
}

function isConflict(error: unknown): error is EngineRefusal {
  return error instanceof EngineRefusal && error.status === CONFLICT;
}

/** Removes the container that has the name, if it is ours and never got as far as starting. */
async function removeLeftover(engine: Engine, { containerName, owner }: Plan): Promise<void> {
  const other = await engine.inspectContainer(containerName, undoing());
  if (other === null) return;
  const isOurs = other.Config.Labels[LABEL.owner] === owner;
  if (isOurs && other.State.Status === "created") await engine.removeContainer(other.Id, undoing());
}

function inOurWords(error: unknown, { containerName, image, identity }: Plan): unknown {
  if (!(error instanceof EngineRefusal)) return error;
  const { id } = identity.spec;
  const said = { facts: { said: error.message }, cause: error };
  switch (error.status) {
    case NOT_FOUND:
      return new OutworkError(
        "image-not-found",
        `The engine no longer has the image ${image.name}: ${error.message}.`,
        said,
      );
    case CONFLICT:
      return new OutworkError(
        "environment-conflict",
        `The engine already has a container ${containerName}, and it is not a leftover of ours. Remove ` +
          `it, or choose another id than ${id}.`,
        said,
      );
    case BAD_REQUEST:
      return new OutworkError(
        "enforcement-missing",
        `The engine cannot make a container as ${id} needs it: ${error.message}.`,
        said,
      );
    default:
      return new OutworkError(
        "start-failed",
        `The engine could not create the container of ${id}: ${error.message}.`,
        said,
      );
  }
}

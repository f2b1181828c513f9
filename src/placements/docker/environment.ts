import type { Program } from "../../contract/agent.ts";
import type { EnvironmentSpec, LossReason } from "../../contract/environment.ts";
import type { AgentLink, WaitOptions } from "../../core/agent-link.ts";
import type { Placed } from "../../core/placement.ts";
import { asError, OutworkError } from "../../errors.ts";
import { StreamLink } from "../link.ts";
import { connectAgent } from "./connect.ts";
import type { Doors } from "./doors.ts";
import type { Engine } from "./engine.ts";
import { undoing } from "./errands.ts";
import type { Identity } from "./labels.ts";
import type { Following } from "./losses.ts";

export interface EnvironmentParts {
  readonly engine: Engine;
  readonly doors: Doors;
  readonly owner: string;
  readonly identity: Identity;
  readonly containerId: string;
  /** argv of the agent inside; a verb follows. */
  readonly agentProgram: Program;
  readonly following: Following;
  readonly onRemoved: () => void;
}

/** One environment in one container. */
export class DockerEnvironment implements Placed {
  readonly spec: EnvironmentSpec;
  readonly createdAt: Date;
  readonly agent: AgentLink;
  readonly lost: Promise<LossReason>;
  readonly #parts: EnvironmentParts;
  #removal: Promise<void> | null = null;

  constructor(parts: EnvironmentParts) {
    const { engine, doors, containerId, identity, agentProgram } = parts;
    this.spec = identity.spec;
    this.createdAt = identity.createdAt;
    this.lost = this.#lostUnasked(parts.following);
    this.agent = new StreamLink((wait) =>
      connectAgent({ engine, doors, containerId, door: identity.door, agentProgram }, wait),
    );
    this.#parts = parts;
  }

  /** An end that comes with our own removal is none. */
  #lostUnasked({ lost }: Following): Promise<LossReason> {
    return new Promise((resolve) => {
      void lost.then((reason) => {
        if (this.#removal === null) resolve(reason);
      });
    });
  }

  /**
   * Asks the agent who it is.
   * @throws `agent-unreachable` it does not answer, or is not this environment's
   */
  async verify(wait: WaitOptions): Promise<void> {
    const hello = await this.agent.call("outwork/hello", {}, wait);
    if (hello.environment_id === this.spec.id && hello.owner === this.#parts.owner) return;
    throw new OutworkError(
      "agent-unreachable",
      `The agent in the container of ${this.spec.id} says that it is another environment's.`,
    );
  }

  /** Removes container and socket. What failed may be tried again. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#removal ??= this.#remove().catch((error: unknown) => {
      this.#removal = null;
      throw error;
    });
    return this.#removal;
  }

  async #remove(): Promise<void> {
    const { engine, doors, identity, containerId, following, onRemoved } = this.#parts;
    try {
      await engine.removeContainer(containerId, undoing());
    } catch (error) {
      throw error instanceof OutworkError ? error : this.#notRemoved(asError(error));
    }
    following.stop();
    await this.agent[Symbol.asyncDispose]();
    await doors.close(identity.door);
    onRemoved();
  }

  #notRemoved(cause: Error): OutworkError {
    return new OutworkError(
      "placement-unavailable",
      `The engine could not remove the container of ${this.spec.id}: ${cause.message}.`,
      { cause },
    );
  }
}

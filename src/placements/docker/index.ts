import type { EnvironmentSpec } from "../../contract/environment.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import type { Check, Placed, Placement } from "../../core/placement.ts";
import { checkEngine } from "./check.ts";
import { launch } from "./launch.ts";
import { type DockerOptions, makeParts, type Parts } from "./parts.ts";
import { recover } from "./recover.ts";

export type { DockerOptions } from "./parts.ts";

/**
 * Environments in containers of a Docker-compatible engine, near or far. The engine need not be there
 * yet: whatever needs it says so.
 * @throws `validation-failed` the engine's address or the state folder cannot be used
 */
export async function openDocker(options: DockerOptions): Promise<Placement> {
  return new DockerPlacement(makeParts(options));
}

class DockerPlacement implements Placement {
  readonly kind = "docker";
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  launch(spec: EnvironmentSpec, wait: WaitOptions): Promise<Placed> {
    return launch(this.#parts, spec, wait);
  }

  recover(wait: WaitOptions): AsyncIterable<Placed> {
    return recover(this.#parts, wait);
  }

  check(wait: WaitOptions): Promise<readonly Check[]> {
    return checkEngine(this.#parts, wait);
  }

  /** Environments live on: only our own watching ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.losses[Symbol.asyncDispose]();
  }
}

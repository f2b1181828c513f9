import { type CreateEnvironment, Environment, EnvironmentList } from "../contract/environment.ts";
import type { CallOptions } from "./call-signal.ts";
import { newId } from "./new-id.ts";
import type { Transport } from "./transport.ts";

/** Longest wait for an environment to start or to be removed, in milliseconds. */
const LIFECYCLE_TIMEOUT_MS = 300_000;
const PATH = "/v1/environments";

/** The environments of one service. */
export class Environments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts an environment and resolves once it is ready. Happens once even when the answer is lost,
   * since a spec without an id is given one.
   * @throws `ceiling-exceeded` the policy asks for more than the operator allows
   * @throws `environment-conflict` the id is taken by another spec
   * @throws `image-not-found`, `enforcement-missing`, `placement-unavailable`
   */
  create(spec: CreateEnvironment = {}, options: CallOptions = {}): Promise<Environment> {
    const json = { id: newId("env"), ...spec };
    const call = { method: "POST", path: PATH, json, repeat: "safe" } as const;
    return this.#transport.json(
      { timeoutMs: LIFECYCLE_TIMEOUT_MS, ...call, ...options },
      Environment,
    );
  }

  /** Every environment that the token may see. */
  async list(options: CallOptions = {}): Promise<Environment[]> {
    const call = { method: "GET", path: PATH, repeat: "safe", ...options } as const;
    return (await this.#transport.json(call, EnvironmentList)).environments;
  }

  /** @throws `environment-not-found` */
  get(id: string, options: CallOptions = {}): Promise<Environment> {
    const call = { method: "GET", path: pathOf(id), repeat: "safe", ...options } as const;
    return this.#transport.json(call, Environment);
  }

  /**
   * Ends every process of the environment and removes it with its files.
   * @throws `environment-not-found`
   */
  remove(id: string, options: CallOptions = {}): Promise<void> {
    const call = { method: "DELETE", path: pathOf(id), repeat: "safe" } as const;
    return this.#transport.done({ timeoutMs: LIFECYCLE_TIMEOUT_MS, ...call, ...options }, [
      "environment-not-found",
      "environment-gone",
    ]);
  }
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

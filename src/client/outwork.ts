import { type ApplyTurnPatchInput, TurnPatchResult } from "../contract/patch.ts";
import type { CallOptions } from "./call-signal.ts";
import { RemoteEnvironment } from "./environment.ts";
import { Environments } from "./environments.ts";
import { findService } from "./local-service.ts";
import { Transport } from "./transport.ts";
import { Turn, type TurnOptions } from "./turn.ts";

const RETRIES = 5;

export interface OutworkOptions {
  /** The service, for instance `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Further tries of a request that may be sent again: 5 unless said otherwise. */
  readonly retries?: number;
}

/**
 * One Outwork service, seen from outside. Holds connections: `close` it, or say `await using`.
 *
 * Every method rejects with an `OutworkError`, whose `code` says what went wrong. Besides those of
 * the service: `service-unreachable` (nothing happened, or nothing that a repeated call would
 * double) and `outcome-unknown` (the answer was lost and the call must not be repeated blindly).
 */
export class Outwork implements AsyncDisposable {
  readonly environments: Environments;
  readonly #transport: Transport;

  constructor({ url, token, retries = RETRIES }: OutworkOptions) {
    this.#transport = new Transport({ url, token, retries });
    this.environments = new Environments(this.#transport);
  }

  /**
   * The service that the variables `OUTWORK_URL` and `OUTWORK_TOKEN` name or, without them, the one
   * that runs on this machine.
   * @throws `service-unreachable` no such service is known
   */
  static async local(variables: NodeJS.ProcessEnv = process.env): Promise<Outwork> {
    return new Outwork(await findService(variables));
  }

  /** One environment by its id; nothing is asked of the service yet. */
  environment(id: string): RemoteEnvironment {
    return new RemoteEnvironment(this.#transport, id);
  }

  /**
   * The tool `apply_patch` over several environments: a patch goes to the one that its line
   * `*** Environment ID:` names, or else to the first.
   * @throws `tool-failed` it names another; the message is the line a model reads
   * @throws `outcome-unknown` the answer was lost: a patch is never sent twice
   */
  applyPatch(patch: ApplyTurnPatchInput, options: CallOptions = {}): Promise<TurnPatchResult> {
    const call = { method: "POST", path: "/v1/apply_patch", json: patch, repeat: "once" } as const;
    return this.#transport.json({ ...call, ...options }, TurnPatchResult);
  }

  /**
   * The tools over these environments, for one conversation with a model.
   * @throws `validation-failed` without any environment
   */
  turn(environmentIds: readonly string[], options: TurnOptions = {}): Turn {
    return new Turn(
      environmentIds.map((id) => this.environment(id)),
      (patch, wait) => this.applyPatch(patch, wait),
      options,
    );
  }

  /** Ends every connection; calls under way and later ones fail. Processes run on. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

import type { EnvironmentSpec, LossReason, PlacementKind } from "../contract/environment.ts";
import type { AgentLink, WaitOptions } from "./agent-link.ts";

/** One thing that the substrate must have, as `doctor` and `/readyz` show it. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was found. */
  readonly found: string;
  /** What to do about it; null when ok. */
  readonly fix: string | null;
}

/** Where environments run. One adapter per substrate; the core never learns which one it holds. */
export interface Placement extends AsyncDisposable {
  readonly kind: PlacementKind;

  /**
   * Starts an environment and resolves once its agent has answered. Everything is labelled before
   * it exists, so that a crash leaves nothing that cannot be found. Aborting undoes what was half
   * built, then rejects.
   * @throws `placement-unavailable` the substrate does not answer
   * @throws `image-not-found` there is no such image
   * @throws `enforcement-missing` the policy or a limit cannot be enforced here, and which
   */
  launch(spec: EnvironmentSpec, options: WaitOptions): Promise<Placed>;

  /** Environments that an earlier run of this service left, and only those. */
  recover(options: WaitOptions): AsyncIterable<Placed>;

  /** What this placement needs, looked at now. Never rejects. */
  check(options: WaitOptions): Promise<readonly Check[]>;
}

/** A running environment. Disposing it leaves nothing behind; disposing twice is harmless. */
export interface Placed extends AsyncDisposable {
  readonly spec: EnvironmentSpec;
  readonly createdAt: Date;
  readonly agent: AgentLink;
  /** Settles only if the substrate ends the environment first. Never rejects. */
  readonly lost: Promise<LossReason>;
}

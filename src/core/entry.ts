import type {
  AgentMethod,
  AgentStream,
  ExecServerPeer,
  ParamsOf,
  ResultOf,
} from "../contract/agent.ts";
import type {
  EffectivePolicy,
  Environment,
  EnvironmentSpec,
  EnvironmentState,
  LossReason,
  PolicyRequest,
} from "../contract/index.ts";
import type { OutworkError } from "../errors.ts";
import { type Presets, resolveRequest } from "../policy/index.ts";
import type { AgentLink, Channel, WaitOptions } from "./agent-link.ts";
import { watchExpiry } from "./expiry.ts";
import { type Ending, endingNow, environmentGone } from "./gone.ts";
import { Launch } from "./launch.ts";
import { ANSWER_MS, isLive, lastExitAt, listProcesses } from "./live-processes.ts";
import type { Log } from "./log.ts";
import { OpenCalls } from "./open-calls.ts";
import type { Placed } from "./placement.ts";
import { placesOf } from "./spec.ts";

type Download = Exclude<AgentStream, "outwork/archive/put">;
type Upload = Extract<AgentStream, "outwork/archive/put">;

interface EntryOptions {
  readonly spec: EnvironmentSpec;
  readonly createdAt: Date;
  readonly launch: (signal: AbortSignal) => Promise<Placed>;
  /** Called once it is no more; without an ending if it never came to be. */
  readonly forget: (entry: EnvironmentEntry, ending: Ending | null) => void;
  readonly presets: Presets;
  readonly log: Log;
}

/** One environment of the registry, from the wish to have it until it is removed. */
export class EnvironmentEntry {
  readonly spec: EnvironmentSpec;
  readonly #launch: Launch;
  readonly #calls = new OpenCalls();
  readonly #watch = new AbortController();
  readonly #forget: EntryOptions["forget"];
  readonly #presets: Presets;
  readonly #log: Log;
  #createdAt: Date;
  #state: EnvironmentState = { kind: "starting" };
  #agent: AgentLink | null = null;
  #removal: Promise<void> | null = null;
  #ending: Ending | null = null;
  #lastSeenBusyAt = 0;

  constructor({ spec, createdAt, launch, forget, presets, log }: EntryOptions) {
    this.spec = spec;
    this.#createdAt = createdAt;
    this.#forget = forget;
    this.#presets = presets;
    this.#log = log;
    this.#launch = new Launch(
      (signal) => this.#start(launch, signal),
      () =>
        void this.remove("removed").catch((err) => log.warn({ err }, "could not undo a launch")),
    );
  }

  get createdAt(): Date {
    return this.#createdAt;
  }

  get state(): EnvironmentState {
    return this.#state;
  }

  /** How it ended, or ends; null while it is of use. */
  get ending(): Ending | null {
    return this.#ending;
  }

  /** Resolves once it is ready. If all who wait leave before that, the launch is undone. */
  async started({ signal }: WaitOptions): Promise<void> {
    await this.#launch.wait(signal);
  }

  /** Every later call is refused with `error`; what runs inside runs on. */
  bar(error: OutworkError): void {
    this.#calls.end(error);
  }

  /**
   * What a request policy of a call comes to here. The agent meets it with the environment's own.
   * @throws `validation-failed` a member that its preset gives no meaning
   */
  resolvePolicy(request: PolicyRequest | null | undefined): EffectivePolicy | undefined {
    return request ? resolveRequest(request, this.#presets, placesOf(this.spec)) : undefined;
  }

  /** @throws `environment-gone` if it has ended, even in the middle of the call */
  call<M extends AgentMethod>(
    method: M,
    params: ParamsOf<M>,
    options: WaitOptions,
  ): Promise<ResultOf<M>> {
    return this.#calls.run(options.signal, async (signal) => {
      const { agent } = await this.#launch.wait(signal);
      return agent.call(method, params, { signal });
    });
  }

  /** @throws `environment-gone` as above; so does the stream */
  read<M extends Download>(
    method: M,
    params: ParamsOf<M>,
    options: WaitOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    return this.#calls.follow(options.signal, async (signal) => {
      const { agent } = await this.#launch.wait(signal);
      return agent.read(method, params, { signal });
    });
  }

  /** @throws `environment-gone` as above */
  write<M extends Upload>(
    method: M,
    params: ParamsOf<M>,
    source: AsyncIterable<Uint8Array>,
    options: WaitOptions,
  ): Promise<ResultOf<M>> {
    return this.#calls.run(options.signal, async (signal) => {
      const { agent } = await this.#launch.wait(signal);
      return agent.write(method, params, source, { signal });
    });
  }

  /**
   * Opens a connection of the exec-server protocol and hands it to `talk`; counts as in use until
   * that settles.
   * @throws `environment-gone` as above
   */
  execServer(
    peer: ExecServerPeer,
    talk: (channel: Channel, signal: AbortSignal) => Promise<void>,
    options: WaitOptions,
  ): Promise<void> {
    return this.#calls.run(options.signal, async (signal) => {
      const { agent } = await this.#launch.wait(signal);
      await talk(await agent.execServer(peer, { signal }), signal);
    });
  }

  /** What callers are shown. Asking does not count as use. */
  async describe({ signal }: WaitOptions): Promise<Environment> {
    const live = await this.#countLive(AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]));
    const { id, placement, image, policy, workspace, limits, labels } = this.spec;
    return {
      id,
      placement,
      image,
      state: this.#state,
      policy,
      workspace,
      variable_names: Object.keys(this.spec.variables),
      limits,
      labels,
      created_at: this.#createdAt.toISOString(),
      expires_at: isoOrNull(this.#expiresAt()),
      idle_timeout_ms: this.spec.idle_timeout_ms,
      process_count: live,
    };
  }

  /**
   * Ends it and leaves nothing behind. Concurrent removals are one removal, and one that failed can
   * be tried again; calls are refused from the first on.
   */
  remove(reason: "removed" | "expired" | "idle"): Promise<void> {
    this.#removal ??= this.#end(reason).finally(() => {
      this.#removal = null;
    });
    return this.#removal;
  }

  /** Lets go of it: it runs on, unless its removal has begun, which comes to its end. */
  async release(): Promise<void> {
    this.#watch.abort();
    await this.#removal;
    await this.#agent?.[Symbol.asyncDispose]();
  }

  async #start(
    launch: (signal: AbortSignal) => Promise<Placed>,
    signal: AbortSignal,
  ): Promise<Placed> {
    try {
      const placed = await launch(signal);
      if (!signal.aborted) this.#becomeReady(placed);
      return placed;
    } catch (error) {
      if (this.#state.kind === "starting") this.#forget(this, null);
      throw error;
    }
  }

  async #countLive(signal: AbortSignal): Promise<number | null> {
    const processes = this.#agent && (await listProcesses(this.#agent, signal));
    return processes?.filter(isLive).length ?? null;
  }

  #becomeReady(placed: Placed): void {
    this.#state = { kind: "ready" };
    this.#createdAt = placed.createdAt;
    this.#agent = placed.agent;
    void placed.lost.then((reason) => this.#lose(reason));
    void watchExpiry(
      {
        expiresAt: this.#expiresAt(),
        idleTimeoutMs: this.spec.idle_timeout_ms,
        idleSince: () => this.#idleSince(placed.agent),
        end: (reason) => this.remove(reason),
      },
      this.#watch.signal,
      this.#log,
    );
  }

  #lose(reason: LossReason): void {
    if (this.#state.kind !== "ready") return;
    const ending = endingNow(reason);
    this.#state = { kind: "lost", reason, at: ending.at };
    this.#agent = null;
    this.#refuseCalls(ending);
    this.#log.warn({ reason }, "environment lost");
  }

  async #end(reason: "removed" | "expired" | "idle"): Promise<void> {
    if (this.#state.kind !== "stopping") {
      this.#state = { kind: "stopping", reason };
      this.#agent = null;
      this.#refuseCalls(endingNow(reason));
    }
    await this.#launch.undo();
    this.#watch.abort();
    this.#log.info({ reason }, "environment removed");
    this.#forget(this, this.#ending);
  }

  #refuseCalls(ending: Ending): void {
    this.#ending = ending;
    this.#calls.end(environmentGone(this.spec.id, ending));
  }

  #expiresAt(): number | null {
    const { lifetime_ms } = this.spec;
    return lifetime_ms === null ? null : this.#createdAt.getTime() + lifetime_ms;
  }

  /** A lost environment is not idle: it stays until it is removed or its lifetime ends. */
  async #idleSince(agent: AgentLink): Promise<number | null> {
    if (this.#state.kind !== "ready") return null;
    const processes = await listProcesses(agent, AbortSignal.timeout(ANSWER_MS));
    if (processes === null || processes.some(isLive)) {
      this.#lastSeenBusyAt = Date.now();
      return null;
    }
    const { quietSince } = this.#calls;
    if (quietSince === null) return null;
    return Math.max(quietSince, this.#lastSeenBusyAt, lastExitAt(processes));
  }
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

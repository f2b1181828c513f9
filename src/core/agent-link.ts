import type {
  AgentMethod,
  AgentStream,
  ExecServerPeer,
  ParamsOf,
  ResultOf,
} from "../contract/agent.ts";

/** Ends the wait, never the work: a process dies only by terminate, timeout or policy. */
export interface WaitOptions {
  readonly signal: AbortSignal;
}

/** Messages both ways, in order, each side at the other's pace. */
export interface Channel {
  /** Resolves when there is room for more. */
  send(message: string | Uint8Array): Promise<void>;
  /**
   * The next message, or as text the agent's wish to close; null at the proper end.
   * @throws when it breaks off
   */
  next(): Promise<{ readonly isText: boolean; readonly payload: Buffer } | null>;
  /** Settles when it is gone, however it went. */
  readonly closed: Promise<void>;
  destroy(): void;
}

/**
 * The service's line to one agent. Calls share one connection and may overlap; each stream has its
 * own, so that a slow reader slows only itself.
 *
 * Every method rejects with the agent's own OutworkError, or with `agent-unreachable` when the
 * connection cannot be made or breaks before the answer.
 */
export interface AgentLink extends AsyncDisposable {
  call<M extends AgentMethod>(
    method: M,
    params: ParamsOf<M>,
    options: WaitOptions,
  ): Promise<ResultOf<M>>;

  /**
   * Opens a stream from the agent. Resolves once the agent has accepted it; the iterable then throws
   * `agent-unreachable` if the stream breaks before its proper end. Leaving the loop closes it.
   */
  read<M extends Exclude<AgentStream, "outwork/archive/put">>(
    method: M,
    params: ParamsOf<M>,
    options: WaitOptions,
  ): Promise<AsyncIterable<Uint8Array>>;

  /** Sends a stream to the agent and resolves with what it made of it. */
  write<M extends Extract<AgentStream, "outwork/archive/put">>(
    method: M,
    params: ParamsOf<M>,
    source: AsyncIterable<Uint8Array>,
    options: WaitOptions,
  ): Promise<ResultOf<M>>;

  /** A connection of the exec-server protocol. Aborting ends it; the agent keeps its session. */
  execServer(peer: ExecServerPeer, options: WaitOptions): Promise<Channel>;
}

import type { z } from "zod";
import type {
  AGENT_METHODS,
  AGENT_STREAMS,
  AgentMethod,
  AgentStream,
  ExecServerPeer,
  ResultOf,
} from "../../contract/agent.ts";
import type { FrameStream } from "../../wire/frames.ts";

type MethodParams<M extends AgentMethod> = z.output<(typeof AGENT_METHODS)[M]["params"]>;
type StreamParams<M extends AgentStream> = z.output<(typeof AGENT_STREAMS)[M]["params"]>;

/** What the agent does for each request. `signal` aborts when the connection is gone. */
export type Methods = {
  [M in AgentMethod]: (
    params: MethodParams<M>,
    signal: AbortSignal,
  ) => Promise<ResultOf<M>> | ResultOf<M>;
};

/** Streams that the agent sends. A rejection before the first item is the request's error. */
export type Sources = {
  [M in Exclude<AgentStream, "outwork/archive/put">]: (
    params: StreamParams<M>,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<Uint8Array>> | AsyncIterable<Uint8Array>;
};

/** Streams that the agent takes in. */
export type Sinks = {
  [M in Extract<AgentStream, "outwork/archive/put">]: (
    params: StreamParams<M>,
    source: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ) => Promise<ResultOf<M>>;
};

/** Takes over a connection for the exec-server protocol until it is gone. */
export type ExecServerHandler = (peer: ExecServerPeer, frames: FrameStream) => Promise<void>;

export interface Handlers {
  readonly execServer: ExecServerHandler;
  readonly methods: Methods;
  readonly sources: Sources;
  readonly sinks: Sinks;
}

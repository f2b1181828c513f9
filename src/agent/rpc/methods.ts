import type { z } from "zod";
import type {
  AGENT_METHODS,
  AGENT_STREAMS,
  AgentMethod,
  AgentStream,
  ResultOf,
} from "../../contract/agent.ts";

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

export interface Handlers {
  readonly methods: Methods;
  readonly sources: Sources;
  readonly sinks: Sinks;
}

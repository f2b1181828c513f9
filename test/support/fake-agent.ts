import type { AgentMethod, AgentStream, ParamsOf, ResultOf } from "../../src/contract/agent.ts";
import type { Process } from "../../src/contract/index.ts";
import type { AgentLink, Channel, WaitOptions } from "../../src/core/agent-link.ts";
import { waitFor } from "../../src/core/wait-for.ts";
import { OutworkError } from "../../src/errors.ts";

type Download = Exclude<AgentStream, "outwork/archive/put">;
type Upload = Extract<AgentStream, "outwork/archive/put">;
type Answer = (params: never, options: WaitOptions) => unknown;
type Stream = (params: never, options: WaitOptions) => AsyncIterable<Uint8Array>;
type Sink = (params: never, source: AsyncIterable<Uint8Array>) => unknown;

/** An agent that answers as it is told. It lists `processes`; the rest a test sets up itself. */
export class FakeAgent implements AgentLink {
  readonly processes: Process[] = [];
  readonly calls: { method: string; params: unknown }[] = [];
  readonly #answers = new Map<AgentMethod, Answer>();
  readonly #streams = new Map<Download, Stream>();
  #sink: Sink | null = null;

  constructor() {
    this.answer("outwork/process/list", () => ({ processes: this.processes }));
  }

  answer<M extends AgentMethod>(
    method: M,
    answer: (params: ParamsOf<M>, options: WaitOptions) => ResultOf<M> | Promise<ResultOf<M>>,
  ): void {
    this.#answers.set(method, answer);
  }

  stream<M extends Download>(
    method: M,
    stream: (params: ParamsOf<M>, options: WaitOptions) => AsyncIterable<Uint8Array>,
  ): void {
    this.#streams.set(method, stream);
  }

  sink<M extends Upload>(
    sink: (params: ParamsOf<M>, source: AsyncIterable<Uint8Array>) => Promise<ResultOf<M>>,
  ): void {
    this.#sink = sink;
  }

  async call<M extends AgentMethod>(method: M, params: ParamsOf<M>, options: WaitOptions) {
    this.calls.push({ method, params });
    const answer = known(this.#answers.get(method), method);
    return (await waitFor(
      Promise.resolve(answer(params as never, options)),
      options.signal,
    )) as ResultOf<M>;
  }

  async read<M extends Download>(method: M, params: ParamsOf<M>, options: WaitOptions) {
    this.calls.push({ method, params });
    return known(this.#streams.get(method), method)(params as never, options);
  }

  execServer(): Promise<Channel> {
    return Promise.reject(new Error("this agent speaks no exec-server protocol"));
  }

  async write<M extends Upload>(
    method: M,
    params: ParamsOf<M>,
    source: AsyncIterable<Uint8Array>,
    options: WaitOptions,
  ) {
    this.calls.push({ method, params });
    const sink = known(this.#sink, method);
    return (await waitFor(
      Promise.resolve(sink(params as never, source)),
      options.signal,
    )) as ResultOf<M>;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function known<T>(answer: T | null | undefined, method: string): T {
  if (answer) return answer;
  throw new OutworkError("agent-unreachable", `The fake agent has no answer to ${method}.`);
}

/** Never settles, except by the signal. */
export function forever(signal: AbortSignal): Promise<never> {
  return waitFor(new Promise<never>(() => {}), signal);
}

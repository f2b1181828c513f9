import { OUTPUT_RECORDS_TYPE } from "../contract/agent.ts";
import {
  Delivered,
  type EndCause,
  Process,
  type SignalName,
  type TerminalSize,
  WriteStdinResult,
} from "../contract/process.ts";
import { type CallOptions, callSignal } from "./call-signal.ts";
import type { Exchange } from "./exchange.ts";
import { followOutput, type OutputOptions } from "./follow-output.ts";
import { type ProcessEvent, readRecords } from "./output-records.ts";
import { Stdin, type StdinStatus } from "./stdin.ts";
import type { Call, Transport } from "./transport.ts";

/**
 * Longest silence on an output stream, in milliseconds. The service breaks it with an empty line
 * every 15 seconds, so a longer one means a dead connection: the reader resumes on another.
 */
const SILENCE_MS = 60_000;

/** How a process ended. */
export interface Ended {
  readonly exit_code: number;
  readonly cause: EndCause;
}

/** One process of an environment, running or not. Costs nothing until it is asked something. */
export class RemoteProcess {
  readonly environmentId: string;
  readonly id: string;
  readonly #transport: Transport;
  readonly #stdin: Stdin;

  constructor(transport: Transport, environmentId: string, id: string) {
    this.environmentId = environmentId;
    this.id = id;
    this.#transport = transport;
    this.#stdin = new Stdin((write, options) =>
      this.#post("stdin", write, "safe", options, WriteStdinResult),
    );
  }

  /** The process as listings show it. */
  inspect(options: CallOptions = {}): Promise<Process> {
    const call = { method: "GET", path: this.#path(""), repeat: "safe", ...options } as const;
    return this.#transport.json(call, Process);
  }

  /**
   * Follows the output: every event after `afterSeq` exactly once and in order. Broken connections
   * are resumed in silence; the iteration ends after `closed` and at nothing else.
   * @throws `process-not-found`, `process-gone`, … a problem that trying again does not mend
   */
  async *output(options: OutputOptions = {}): AsyncGenerator<ProcessEvent> {
    const { afterSeq = 0 } = options;
    if (afterSeq > 0 && (await this.#hasNothingAfter(afterSeq, options))) return;
    yield* this.#follow(options);
  }

  #follow(options: OutputOptions): AsyncGenerator<ProcessEvent> {
    const signal = callSignal({ signal: options.signal });
    return followOutput((afterSeq) => this.#events(afterSeq, signal), { ...options, signal });
  }

  /** Whoever has seen `closed` and asks for more would wait for it in vain. */
  async #hasNothingAfter(afterSeq: number, options: OutputOptions): Promise<boolean> {
    const { signal, patienceMs } = options;
    const lasting = { signal, timeoutMs: patienceMs, retries: Number.POSITIVE_INFINITY };
    const { state, output } = await this.inspect(lasting);
    return state.kind === "closed" && afterSeq >= output.next_seq - 1;
  }

  /**
   * Resolves once no more output can come, which may be later than the exit. Reads no output that
   * is already there.
   */
  async wait(options: Omit<OutputOptions, "afterSeq"> = {}): Promise<Ended> {
    const { state, output } = await this.inspect({ signal: options.signal });
    let ended: Ended | undefined = state.kind === "running" ? undefined : state;
    if (state.kind !== "closed") {
      for await (const event of this.#follow({ ...options, afterSeq: output.next_seq - 1 })) {
        if (event.type === "exited") ended = event;
      }
    }
    ended ??= await this.wait(options);
    return { exit_code: ended.exit_code, cause: ended.cause };
  }

  /** Writes to stdin. Calls are sent in order, each exactly once even over a broken connection. */
  write(bytes: Uint8Array | string, options: CallOptions = {}): Promise<StdinStatus> {
    return this.#stdin.write(bytes, options);
  }

  /** Closes stdin after everything that was written before. */
  end(options: CallOptions = {}): Promise<StdinStatus> {
    return this.#stdin.end(options);
  }

  /**
   * Signals the command's process group. False: it had already ended.
   * @throws `outcome-unknown` when the answer was lost: a signal is never sent twice
   */
  async signal(signal: SignalName, options: CallOptions = {}): Promise<boolean> {
    return (await this.#post("signal", { signal }, "once", options, Delivered)).delivered;
  }

  /** SIGTERM, and SIGKILL to all that is left after `graceMs`, by default 2 000. */
  async terminate(options: CallOptions & { graceMs?: number } = {}): Promise<boolean> {
    const { graceMs, ...rest } = options;
    const body = graceMs === undefined ? {} : { grace_ms: graceMs };
    return (await this.#post("terminate", body, "safe", rest, Delivered)).delivered;
  }

  /** Sets the size of the terminal. False: the process had already ended. */
  async resize(size: TerminalSize, options: CallOptions = {}): Promise<boolean> {
    return (await this.#post("resize", size, "safe", options, Delivered)).delivered;
  }

  async #events(
    afterSeq: number,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<ProcessEvent>> {
    const sent: Exchange = {
      method: "GET",
      path: this.#path("/output"),
      query: { after_seq: afterSeq },
      accept: OUTPUT_RECORDS_TYPE,
      repeat: "safe",
      signal,
      silenceMs: SILENCE_MS,
    };
    return readRecords(await this.#transport.stream(sent));
  }

  #post<S extends Parameters<Transport["json"]>[1]>(
    verb: string,
    json: unknown,
    repeat: Call["repeat"],
    options: CallOptions,
    answer: S,
  ) {
    const call: Call = { method: "POST", path: this.#path(`/${verb}`), json, repeat, ...options };
    return this.#transport.json(call, answer);
  }

  #path(rest: string): string {
    const [environment, process] = [this.environmentId, this.id].map(encodeURIComponent);
    return `/v1/environments/${environment}/processes/${process}${rest}`;
  }
}

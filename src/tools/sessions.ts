import { randomInt } from "node:crypto";
import type { ResolvedExecCommand } from "../contract/agent.ts";
import { MAX_OUTPUT_TOKENS } from "../contract/constants.ts";
import type { ToolResult, WriteStdinTool } from "../contract/tools.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type CommandSettings, commandOf } from "./command.ts";
import { startFailure, stdinClosed, unknownSession, writeFailed } from "./failures.ts";
import { sleep, type Waiting } from "./latch.ts";
import { outputText, tokensOf } from "./output-text.ts";
import type { StartToolProcess, ToolStart, WaitOptions } from "./ports.ts";
import { Session } from "./session.ts";
import { type RandomInt, SessionTable } from "./session-table.ts";
import { commandYieldMs, MAX_POLL_MS, pollYieldMs, writeYieldMs } from "./yields.ts";

/** After the start, an exit this soon is noticed before the wait (and its clock) begins. */
const GRACE_MS = 150;
/** After a write, what the program needs to react, before the wait (and its clock) begins. */
const REACTION_MS = 100;
/** After a failed write, how long an exit that explains it may take to be noticed. */
const EXIT_NOTICE_MS = 50;
const INTERRUPT = "\u0003";
const CHUNK_IDS = 0x1000000;

export interface ToolSessionsOptions extends CommandSettings {
  readonly start: StartToolProcess;
  readonly clock?: Clock;
  readonly randomInt?: RandomInt;
  /** The largest output budget of a call, in tokens. */
  readonly maxOutputTokens?: number;
  /** The longest that a poll may wait, in milliseconds. */
  readonly maxPollMs?: number;
}

/** A live session, or an ended one whose exit no call has seen yet. */
export interface ToolSession {
  readonly session_id: number;
  readonly process_id: string;
  readonly exit_code: number | null;
}

/**
 * The two shell tools of one environment. A session belongs to neither call nor connection: aborting
 * a call ends its wait, and what the process printed is for the next call.
 */
export class ToolSessions {
  readonly #settings: CommandSettings;
  readonly #start: StartToolProcess;
  readonly #clock: Clock;
  readonly #randomInt: RandomInt;
  readonly #maxOutputTokens: number;
  readonly #maxPollMs: number;
  readonly #table: SessionTable<Session>;

  constructor(options: ToolSessionsOptions) {
    this.#settings = options;
    this.#start = options.start;
    this.#clock = options.clock ?? systemClock;
    this.#randomInt = options.randomInt ?? randomInt;
    this.#maxOutputTokens = options.maxOutputTokens ?? MAX_OUTPUT_TOKENS;
    this.#maxPollMs = options.maxPollMs ?? MAX_POLL_MS;
    this.#table = new SessionTable(this.#randomInt);
  }

  /**
   * `exec_command`: starts a command and waits for its end, or for as long as the call says.
   * @throws `tool-failed` with the line that the model should read
   * @throws whatever else the start is refused with
   */
  async exec(args: ResolvedExecCommand, { signal }: WaitOptions): Promise<ToolResult> {
    const waiting = this.#waiting(signal);
    const request = commandOf(args, this.#settings);
    const id = this.#table.reserve(args.reserved_session_ids ?? []);
    try {
      const session = await this.#open(id, request, waiting);
      const wallMs = await session.settle(commandYieldMs(args.yield_time_ms), waiting);
      return this.#answer(session, wallMs, args.max_output_tokens);
    } finally {
      this.#table.release(id);
    }
  }

  /**
   * `write_stdin`: types into a session's terminal, interrupts it, or only looks what it printed.
   * @throws `tool-failed` with the line that the model should read
   */
  async write(args: WriteStdinTool, { signal }: WaitOptions): Promise<ToolResult> {
    const waiting = this.#waiting(signal);
    const session = this.#table.use(args.session_id);
    if (session === undefined) throw unknownSession(args.session_id);
    const chars = args.chars ?? "";
    if (chars !== "") await this.#send(session, chars, waiting);
    const wallMs = await session.settle(this.#yieldMs(args), waiting);
    // An exit is told once: another call may have seen it while this one waited.
    if (!this.#table.has(session)) throw unknownSession(args.session_id);
    return this.#answer(session, wallMs, args.max_output_tokens);
  }

  /** The least recently used first. */
  list(): ToolSession[] {
    return this.#table.all().map(({ id, process, exitCode }) => ({
      session_id: id,
      process_id: process.id,
      exit_code: exitCode ?? null,
    }));
  }

  /** Kills one session at once and forgets it. False: there is no such session. */
  terminate(sessionId: number): boolean {
    const session = this.#table.get(sessionId);
    if (session !== undefined) this.#end(session);
    return session !== undefined;
  }

  /** Kills every session at once and forgets them all. */
  clean(): void {
    for (const session of this.#table.all()) this.#end(session);
  }

  async #open(id: number, request: ToolStart, waiting: Waiting): Promise<Session> {
    const process = await this.#start(request, { signal: waiting.signal }).catch((error) => {
      throw startFailure(error);
    });
    const session = new Session(id, process);
    try {
      await session.untilExit(GRACE_MS, waiting);
    } finally {
      if (!session.hasExited) this.#keep(session);
    }
    return session;
  }

  #keep(session: Session): void {
    const pruned = this.#table.add(session);
    if (pruned !== undefined) this.#end(pruned);
  }

  #end(session: Session): void {
    this.#table.remove(session);
    session.end();
  }

  async #send(session: Session, chars: string, waiting: Waiting): Promise<void> {
    const { process } = session;
    if (process.tty) return this.#type(session, chars, waiting);
    if (chars !== INTERRUPT) throw stdinClosed();
    await process.interrupt();
  }

  async #type(session: Session, chars: string, waiting: Waiting): Promise<void> {
    try {
      await session.process.write(Buffer.from(chars), { signal: waiting.signal });
    } catch (error) {
      await session.untilExit(EXIT_NOTICE_MS, waiting);
      if (session.hasExited) return;
      this.#end(session);
      throw writeFailed(error);
    }
    await sleep(REACTION_MS, waiting);
  }

  #yieldMs({ chars, yield_time_ms }: WriteStdinTool): number {
    return chars ? writeYieldMs(yield_time_ms) : pollYieldMs(yield_time_ms, this.#maxPollMs);
  }

  #answer(session: Session, wallMs: number, tokens: number | null | undefined): ToolResult {
    const { id, exitCode, process } = session;
    const taken = session.take();
    if (exitCode !== undefined) this.#end(session);
    const maxTokens = Math.min(tokens ?? MAX_OUTPUT_TOKENS, this.#maxOutputTokens);
    return {
      chunk_id: this.#randomInt(0, CHUNK_IDS).toString(16).padStart(6, "0"),
      wall_time_seconds: wallMs / 1000,
      ...(exitCode === undefined ? { session_id: id } : { exit_code: exitCode }),
      original_token_count: tokensOf(taken.totalBytes),
      output: outputText(taken, maxTokens),
      policy: process.policy,
    };
  }

  #waiting(signal: AbortSignal): Waiting {
    signal.throwIfAborted();
    return { clock: this.#clock, signal };
  }
}

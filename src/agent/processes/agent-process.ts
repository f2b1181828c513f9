import { constants } from "node:os";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type {
  EndCause,
  Process,
  ProcessState,
  SignalName,
  TerminalSize,
} from "../../contract/process.ts";
import { type Exit, LaunchFailedError } from "../sandbox/launch.ts";
import { launchRefused } from "../sandbox/launch-refused.ts";
import type { Sandboxed } from "../sandbox/sandbox.ts";
import { OutputLog, type ReaderRule } from "./output-log.ts";
import { OutputPump } from "./output-pump.ts";
import { untilUnheld } from "./pipe-holders.ts";
import { StdinWriter } from "./stdin-writer.ts";
import { commandGroup, isRunning, killProcess, killSandbox } from "./tree.ts";

/** Added to a signal's number when it ends a process, as shells and bwrap do. */
const SIGNAL_EXIT_BASE = 128;
const SIGKILL_EXIT = 137;
const LAST_SIGNAL = 31;
/** A signal sent right after the start waits this long for the command to come up, in steps. */
const SIGNAL_STEP_MS = 5;
const SIGNAL_STEPS = 200;
/** How long the exit waits for what a terminal has yet to pass on. */
const TERMINAL_LAG_MS = 50;
/** How often a sandbox that outlives its command is looked at. */
const EMPTY_STEP_MS = 200;

/** What a process is known by. */
export interface ProcessDescription {
  readonly processId: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  readonly policy: EffectivePolicy;
  readonly retainedBytes: number;
  readonly readers: ReaderRule;
}

/** One running program and its output. Lives until its sandbox is empty and its streams have ended. */
export class AgentProcess {
  readonly description: ProcessDescription;
  readonly log: OutputLog;
  readonly stdin: StdinWriter;
  readonly startedAt = new Date();
  /**
   * Resolves when the program is about to run.
   * @throws `enforcement-missing` or `quota-exceeded`: it was refused, and nothing has run
   */
  readonly ready: Promise<void>;
  readonly #sandboxed: Sandboxed;
  #init: number | null = null;
  #state: ProcessState = { kind: "running" };
  /** Why we ended it, if we did. */
  #cause: EndCause | null = null;
  /** The last signal that a caller sent. */
  #sent: SignalName | null = null;
  #closedAt: Date | null = null;

  constructor(description: ProcessDescription, sandboxed: Sandboxed) {
    this.description = description;
    this.#sandboxed = sandboxed;
    this.log = new OutputLog(description.retainedBytes, description.readers);
    this.stdin = new StdinWriter(this.#input(), description.tty);
    const closed = this.#watch();
    this.ready = this.#open(closed);
  }

  get state(): ProcessState {
    return this.#state;
  }

  get live(): boolean {
    return this.#state.kind === "running";
  }

  /** When its last event was logged; null while there may be more. */
  get closedAt(): Date | null {
    return this.#closedAt;
  }

  snapshot(): Process {
    const { processId, argv, cwd, tty, policy } = this.description;
    return {
      process_id: processId,
      argv: [...argv],
      cwd,
      tty,
      started_at: this.startedAt.toISOString(),
      state: this.#state,
      output: this.log.totals(),
      policy,
    };
  }

  /** False when the process has ended. */
  resize(size: TerminalSize): boolean {
    if (!this.live || !this.#sandboxed.terminal) return false;
    this.#sandboxed.terminal.resize(size);
    return true;
  }

  /** Signals the command's process group. False when the process has ended. */
  async signal(name: SignalName): Promise<boolean> {
    for (let step = 0; this.live && step < SIGNAL_STEPS; step += 1) {
      const group = this.#init === null ? null : commandGroup(this.#init);
      if (group !== null) {
        this.#sent = name;
        return signalGroup(group, name);
      }
      await sleep(SIGNAL_STEP_MS);
    }
    return false;
  }

  /**
   * SIGTERM, then after the grace SIGKILL to everything in the sandbox. False when it has ended; what
   * it left behind on its pipes is killed all the same.
   */
  terminate(graceMs: number, cause: EndCause = "terminated"): boolean {
    if (this.#state.kind === "exited") this.#killLeftBehind();
    if (!this.live) return false;
    this.#cause ??= cause;
    if (graceMs === 0) {
      this.#kill();
      return true;
    }
    void this.signal("SIGTERM");
    const timer = setTimeout(() => this.live && this.#kill(), graceMs);
    this.log.on("append", () => {
      if (this.live) return;
      clearTimeout(timer);
      this.#killLeftBehind();
    });
    return true;
  }

  #kill(): void {
    const { pid } = this.#sandboxed.child;
    if (pid !== undefined) killSandbox(pid, this.#init);
  }

  #killLeftBehind(): void {
    const { leavesChildren } = this.#sandboxed;
    if (leavesChildren && this.#init !== null && this.#state.kind === "exited") {
      killProcess(this.#init);
    }
  }

  async #open(closed: Promise<void>): Promise<void> {
    try {
      this.#init = await this.#sandboxed.opened;
    } catch (error) {
      await closed;
      if (!(error instanceof LaunchFailedError)) throw error;
      throw launchRefused(error.message || this.#printed());
    }
  }

  #printed(): string {
    const chunks = this.log.held(0).map(({ bytes }) => bytes);
    return Buffer.concat(chunks).toString("utf8").trim();
  }

  #input(): Writable | null {
    return this.#sandboxed.terminal?.input ?? this.#sandboxed.child.stdin;
  }

  async #watch(): Promise<void> {
    const { child, terminal, exited } = this.#sandboxed;
    const { stdout, stderr } = child;
    const pump = new OutputPump(this.log, terminal ? { pty: terminal.output } : { stdout, stderr });
    const { exit_code, cause } = this.#exited(await exited);
    this.stdin.close();
    void terminal?.finish();
    await Promise.race([pump.ended, terminal ? sleep(TERMINAL_LAG_MS) : pump.caughtUp()]);
    this.log.exited(exit_code, cause);
    await this.#drain(pump);
    this.#close();
  }

  /** Waits for the streams' end, or for all who could write to have gone. */
  async #drain(pump: OutputPump): Promise<void> {
    const { leavesChildren, opened } = this.#sandboxed;
    const init = leavesChildren ? await opened.catch(() => null) : null;
    if (init === null) return pump.ended;
    const ended = new AbortController();
    void pump.ended.then(() => ended.abort());
    await untilUnheld(init, ended.signal);
    await pump.cutOff();
  }

  #exited({ code, signal }: Exit): Extract<ProcessState, { kind: "exited" | "closed" }> {
    const exitCode = code ?? (signal ? SIGKILL_EXIT : 1);
    this.#state = {
      kind: "exited",
      exit_code: this.#shownCode(exitCode),
      cause: this.#endCause(exitCode, signal),
      exited_at: new Date().toISOString(),
    };
    return this.#state;
  }

  /** A terminal reports every death by signal as 1, as terminals of this field do. */
  #shownCode(exitCode: number): number {
    const bySignal = exitCode > SIGNAL_EXIT_BASE && exitCode <= SIGNAL_EXIT_BASE + LAST_SIGNAL;
    return this.description.tty && bySignal ? 1 : exitCode;
  }

  #endCause(exitCode: number, signal: NodeJS.Signals | null): EndCause {
    if (this.#cause) return this.#cause;
    if (this.#sent && exitCode === SIGNAL_EXIT_BASE + constants.signals[this.#sent]) {
      return this.#sent === "SIGINT" ? "interrupted" : "signalled";
    }
    return signal ? "signalled" : "exited";
  }

  #close(): void {
    if (this.#state.kind === "exited") this.#state = { ...this.#state, kind: "closed" };
    this.#closedAt = new Date();
    this.log.close();
    void this.#releaseWhenEmpty();
  }

  /** A guard must stand for as long as anything lives behind it, pipes or not. */
  async #releaseWhenEmpty(): Promise<void> {
    const { leavesChildren, release } = this.#sandboxed;
    const init = this.#init;
    while (leavesChildren && init !== null && isRunning(init)) await sleep(EMPTY_STEP_MS);
    release();
  }
}

function signalGroup(group: number, name: SignalName): boolean {
  try {
    process.kill(-group, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

import { kill } from "node:process";
import type { EffectivePolicy } from "../../../src/contract/policy.ts";
import type {
  ProcessEvent,
  Processes,
  ProcessStart,
  StartedProcess,
  WaitOptions,
} from "../../../src/exec-server/ports.ts";
import { RecentIds } from "../../../src/exec-server/recent-ids.ts";
import { type Child, startChild } from "./child.ts";
import { EventLog } from "./event-log.ts";

/** Changes a start into what is really run. */
export type Confine = (start: ProcessStart) => ProcessStart;

/** Processes of this very host; confined only as far as `confine` does it. */
export class LocalProcesses implements Processes {
  readonly #confine: Confine;
  readonly started: LocalProcess[] = [];

  constructor(confine: Confine = (start) => start) {
    this.#confine = confine;
  }

  async start(start: ProcessStart, { signal }: WaitOptions): Promise<StartedProcess> {
    signal.throwIfAborted();
    const process = await LocalProcess.start(this.#confine(start), start.policy);
    this.started.push(process);
    return process;
  }
}

class LocalProcess implements StartedProcess {
  readonly policy: EffectivePolicy;
  readonly #writable: boolean;
  readonly #log = new EventLog();
  readonly #writes = new RecentIds<true>(4096);
  readonly whenExited: Promise<void>;
  readonly whenClosed: Promise<void>;
  #exited = () => {};
  #closed = () => {};
  #child: Child | null = null;
  #paused = false;

  private constructor(policy: EffectivePolicy, writable: boolean) {
    this.policy = policy;
    this.#writable = writable;
    this.whenExited = new Promise((resolve) => {
      this.#exited = resolve;
    });
    this.whenClosed = new Promise((resolve) => {
      this.#closed = resolve;
    });
  }

  static async start(start: ProcessStart, policy: EffectivePolicy): Promise<LocalProcess> {
    const process = new LocalProcess(policy, start.pipeStdin || start.tty !== null);
    process.#child = await startChild(start, {
      output: (stream, bytes) => process.#output(stream, bytes),
      exited: (exitCode) => {
        process.#log.exited(exitCode);
        process.#exited();
      },
      closed: () => {
        process.#log.closed();
        process.#closed();
      },
    });
    return process;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get nextSeq(): number {
    return this.#log.nextSeq;
  }

  get exit() {
    return this.#log.exit;
  }

  get closed(): boolean {
    return this.#log.closedSeq !== null;
  }

  retained(afterSeq: number) {
    return this.#log.retained(afterSeq);
  }

  changed({ signal }: WaitOptions): Promise<void> {
    return this.#log.changed(signal);
  }

  events({ afterSeq, signal }: { afterSeq: number } & WaitOptions): AsyncIterable<ProcessEvent> {
    return this.#log.follow(afterSeq, signal, () => this.#pace());
  }

  async write({ writeId, chunk }: { writeId: string; chunk: Uint8Array }) {
    if (!this.#writable) return "stdinClosed";
    if (this.#writes.get(writeId)) return "accepted";
    this.#writes.add(writeId, true);
    await this.#child?.write(chunk);
    return "accepted";
  }

  interrupt(): void {
    if (this.exit === null) this.#signal("SIGINT");
  }

  terminate(): boolean {
    if (this.exit !== null) return false;
    this.#signal("SIGKILL");
    return true;
  }

  /** Children that hold the pipes go too. */
  release(): void {
    if (!this.closed) this.#signal("SIGKILL");
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      kill(-this.pid, signal);
    } catch {
      // The group has ended by itself.
    }
  }

  #output(stream: "stdout" | "stderr" | "pty", bytes: Uint8Array): void {
    this.#log.append(stream, bytes);
    this.#pace();
  }

  #pace(): void {
    const { lags } = this.#log;
    if (lags === this.#paused) return;
    this.#paused = lags;
    if (lags) this.#child?.pause();
    else this.#child?.resume();
  }
}

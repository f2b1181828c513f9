import { MAX_CLOSED_OUTPUT_BYTES, MAX_CLOSED_PROCESSES } from "../limits.ts";
import type { StartedProcess } from "../ports.ts";
import { clip } from "../quote.ts";
import { invalidRequest } from "../rpc-error.ts";
import { ManagedProcess } from "./managed-process.ts";

/** A start under way. */
interface Starting {
  readonly cancel: AbortController;
  readonly settled: Promise<unknown>;
}

/** What a start needs; it is asked only once the id is taken. */
interface Launch {
  readonly sandboxed: boolean;
  readonly run: (signal: AbortSignal) => Promise<StartedProcess>;
}

interface Closed {
  readonly process: ManagedProcess;
  readonly bytes: number;
  readonly timer: NodeJS.Timeout;
}

/** The processes of one session by the names its client gave them: starting, live, or closed lately. */
export class ProcessTable {
  readonly #closedMs: number;
  readonly #starting = new Map<string, Starting>();
  readonly #processes = new Map<string, ManagedProcess>();
  readonly #closed = new Set<Closed>();
  #closedBytes = 0;

  constructor(closedMs: number) {
    this.#closedMs = closedMs;
  }

  get(id: string): ManagedProcess | undefined {
    return this.#processes.get(id);
  }

  isStarting(id: string): boolean {
    return this.#starting.has(id);
  }

  /** Every process that has started and is still known. */
  all(): readonly ManagedProcess[] {
    return [...this.#processes.values()];
  }

  get isEmpty(): boolean {
    return this.#starting.size === 0 && this.#processes.size === 0;
  }

  /** Takes the id at once, so that a name never stands for two processes. */
  async start(id: string, launch: Launch): Promise<ManagedProcess> {
    if (this.#starting.has(id) || this.#processes.has(id)) {
      throw invalidRequest(`process ${clip(id)} already exists`);
    }
    const cancel = new AbortController();
    const running = launch.run(cancel.signal);
    this.#starting.set(id, { cancel, settled: running.catch(() => {}) });
    try {
      return this.#adopt(id, await running, launch.sandboxed, cancel.signal);
    } catch (error) {
      throw cancel.signal.aborted ? cancelled(id) : error;
    } finally {
      this.#starting.delete(id);
    }
  }

  /** Resolves with the process that is there, or will be when its start has succeeded. */
  async whenStarted(id: string): Promise<ManagedProcess | undefined> {
    await this.#starting.get(id)?.settled;
    return this.#processes.get(id);
  }

  /** Kills, or keeps from starting. False when there was nothing to kill. */
  terminate(id: string): boolean {
    const starting = this.#starting.get(id);
    if (starting === undefined) return this.#processes.get(id)?.started.terminate() ?? false;
    starting.cancel.abort();
    return true;
  }

  /** Ends everything. */
  dispose(): void {
    for (const { cancel } of this.#starting.values()) cancel.abort();
    for (const { timer } of this.#closed) clearTimeout(timer);
    for (const { started } of this.#processes.values()) started.release();
    this.#processes.clear();
    this.#closed.clear();
  }

  #adopt(id: string, started: StartedProcess, sandboxed: boolean, signal: AbortSignal) {
    if (signal.aborted) {
      started.release();
      throw cancelled(id);
    }
    const process = new ManagedProcess(id, started, sandboxed);
    this.#processes.set(id, process);
    void started.whenExited.then(() => process.sandboxDenied);
    void started.whenClosed.then(() => this.#retire(process));
    return process;
  }

  #retire(process: ManagedProcess): void {
    if (this.#processes.get(process.id) !== process) return;
    const bytes = process.heldBytes;
    const timer = setTimeout(() => this.#forget(closed), this.#closedMs).unref();
    const closed: Closed = { process, bytes, timer };
    this.#closed.add(closed);
    this.#closedBytes += bytes;
    this.#forgetOldest();
  }

  /** A flood of short processes must not keep a flood of output. */
  #forgetOldest(): void {
    for (const closed of this.#closed) {
      const fits = this.#closed.size <= MAX_CLOSED_PROCESSES;
      if (fits && this.#closedBytes <= MAX_CLOSED_OUTPUT_BYTES) return;
      this.#forget(closed);
    }
  }

  #forget(closed: Closed): void {
    clearTimeout(closed.timer);
    this.#closed.delete(closed);
    this.#closedBytes -= closed.bytes;
    this.#processes.delete(closed.process.id);
    closed.process.started.release();
  }
}

function cancelled(id: string): Error {
  return invalidRequest(`process ${clip(id)} start was cancelled`);
}

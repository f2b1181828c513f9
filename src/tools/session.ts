import { HeadTailBuffer, type TakenOutput } from "./head-tail-buffer.ts";
import { Latch, type Waiting } from "./latch.ts";
import type { ToolProcess } from "./ports.ts";

/** How long output is awaited when the process has ended but something still holds its pipes. */
const OPEN_AFTER_EXIT_MS = 50;

/** One command, and what it printed since the last answer. */
export class Session {
  readonly id: number;
  readonly process: ToolProcess;
  readonly #output = new HeadTailBuffer();
  readonly #exited = new Latch();
  readonly #closed = new Latch();
  #exitCode: number | undefined;
  #isOver = false;

  constructor(id: number, process: ToolProcess) {
    this.id = id;
    this.process = process;
    void this.#followOutput();
    void this.#awaitExit();
  }

  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  get hasExited(): boolean {
    return this.#exited.isOpen;
  }

  /** Resolves once the process has ended or after `ms`, whichever is first. */
  untilExit(ms: number, waiting: Waiting): Promise<void> {
    return this.#exited.wait(ms, waiting);
  }

  /**
   * Waits until all has been said, or for `yieldMs`. Takes nothing, so that an aborted wait leaves
   * the output for the next. Resolves with the time it took, in milliseconds.
   */
  async settle(yieldMs: number, waiting: Waiting): Promise<number> {
    const startMs = waiting.clock.now();
    await this.#exited.wait(yieldMs, waiting);
    const leftMs = startMs + yieldMs - waiting.clock.now();
    if (this.hasExited) await this.#closed.wait(Math.min(leftMs, OPEN_AFTER_EXIT_MS), waiting);
    return waiting.clock.now() - startMs;
  }

  /** Hands over what was printed since the last time. */
  take(): TakenOutput {
    return this.#output.take();
  }

  /** Nobody will ask again: what a surviving child still prints is not even read. */
  end(): void {
    this.#isOver = true;
    if (!this.hasExited) this.process.terminate();
  }

  async #followOutput(): Promise<void> {
    for await (const chunk of this.process.output) {
      if (this.#isOver) break;
      this.#output.append(chunk);
    }
    this.#closed.open();
  }

  async #awaitExit(): Promise<void> {
    this.#exitCode = await this.process.exited;
    this.#exited.open();
  }
}

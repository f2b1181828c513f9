import { once } from "node:events";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type {
  OutputChunk,
  ProcessEvent,
  StartedProcess,
  WaitOptions,
} from "../../exec-server/ports.ts";
import type { AgentProcess } from "../processes/agent-process.ts";

/** One process of the table, as the exec-server protocol sees it. */
export class TableProcess implements StartedProcess {
  readonly #process: AgentProcess;
  readonly whenExited: Promise<void>;
  readonly whenClosed: Promise<void>;

  constructor(process: AgentProcess) {
    this.#process = process;
    this.whenExited = this.#until(() => this.exit !== null);
    this.whenClosed = this.#until(() => this.closed);
  }

  get policy(): EffectivePolicy {
    return this.#process.description.policy;
  }

  get nextSeq(): number {
    return this.#process.log.totals().next_seq;
  }

  get exit(): { seq: number; exitCode: number } | null {
    const { exit } = this.#process.log;
    return exit && { seq: exit.seq, exitCode: exit.exit_code };
  }

  get closed(): boolean {
    return this.#process.log.closed;
  }

  retained(afterSeq: number): readonly OutputChunk[] {
    return this.#process.log.held(afterSeq);
  }

  async changed({ signal }: WaitOptions): Promise<void> {
    await once(this.#process.log, "append", { signal });
  }

  async *events({
    afterSeq,
    signal,
  }: { afterSeq: number } & WaitOptions): AsyncGenerator<ProcessEvent> {
    for await (const event of this.#process.log.follow(afterSeq, signal)) {
      switch (event.type) {
        case "output":
          yield event;
          break;
        case "exited":
          yield { type: "exited", seq: event.seq, exitCode: event.exit_code };
          break;
        case "closed":
          yield { type: "closed", seq: event.seq };
          break;
        case "omitted":
          // This protocol shows what is missing by the next number.
          break;
      }
    }
  }

  async write({ writeId, chunk }: { writeId: string; chunk: Uint8Array }) {
    const status = await this.#process.stdin.write(writeId, Buffer.from(chunk), false);
    return status === "accepted" ? "accepted" : "stdinClosed";
  }

  interrupt(): void {
    void this.#process.signal("SIGINT");
  }

  terminate(): boolean {
    return this.#process.terminate(0);
  }

  release(): void {
    this.#process.terminate(0);
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#process.log, "append");
  }
}

import type { RequestId } from "../envelope.ts";
import { ANSWER_BUDGET_BYTES, MAX_WAITING_READS } from "../limits.ts";
import type { CallContext, Reply } from "../methods/method.ts";
import type { Transport } from "../transport/transport.ts";
import { Budget } from "./budget.ts";
import type { Claim } from "./claims.ts";
import { answerTo, INTERNAL_ERROR } from "./failure.ts";
import { Inflow } from "./inflow.ts";
import { Order } from "./order.ts";
import type { Outbox } from "./outbox.ts";

/** What a running call may ask of the connection that it runs on. */
export type CallScope = Pick<CallContext, "admit" | "standAside">;

interface Work {
  readonly id: RequestId;
  readonly method: string;
  /** Size of the request's message. */
  readonly bytes: number;
  readonly claims: readonly Claim[];
  readonly run: (scope: CallScope) => Promise<Reply> | Reply;
}

interface Surroundings {
  readonly transport: Transport;
  readonly outbox: Outbox;
  readonly signal: AbortSignal;
  readonly onFault: (error: unknown, method: string) => void;
}

/** Runs the requests of one connection: in order where they must be, side by side elsewhere. */
export class Calls {
  readonly #surroundings: Surroundings;
  readonly #inflow: Inflow;
  readonly #order = new Order();
  readonly #answers = new Budget(ANSWER_BUDGET_BYTES);
  #waitingReads = 0;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#inflow = new Inflow(surroundings.transport);
  }

  /** The client has taken some of what was sent. */
  drained(): void {
    this.#inflow.update();
  }

  async run(work: Work): Promise<void> {
    const { outbox, signal } = this.#surroundings;
    const turn = this.#order.enter(work.claims);
    const released = [turn.leave, this.#inflow.enter(work.bytes)];
    try {
      if (turn.ready !== null) await turn.ready;
      if (signal.aborted) return;
      const reply = await work.run(this.#scope(released));
      outbox.result(work.id, reply.result);
      reply.sent?.();
    } catch (error) {
      this.#fail(work, error);
    } finally {
      for (const release of released) release();
      this.#inflow.update();
    }
  }

  /** `released` runs when the call is over; what stands aside is released before. */
  #scope(released: (() => void)[]): CallScope {
    return {
      admit: async (bytes) => {
        await this.#surroundings.outbox.room();
        const share = await this.#answers.take(bytes);
        released.push(() => share[Symbol.dispose]());
      },
      standAside: () => {
        if (this.#waitingReads >= MAX_WAITING_READS) return false;
        this.#waitingReads += 1;
        for (const release of released) release();
        released.push(() => {
          this.#waitingReads -= 1;
        });
        return true;
      },
    };
  }

  #fail(work: Work, error: unknown): void {
    const { outbox, signal, onFault } = this.#surroundings;
    if (signal.aborted) return;
    const answer = answerTo(error);
    if (answer === null) onFault(error, work.method);
    outbox.error(work.id, answer ?? INTERNAL_ERROR);
  }
}

import type { ManagedProcess } from "./managed-process.ts";
import { ProcessTable } from "./process-table.ts";

/** A connection as its session sees it. */
export interface Attachment {
  /** Passes on every event of the process after that number. */
  follow(process: ManagedProcess, afterSeq: number): void;
  /** Another connection has taken the session over. */
  superseded(): void;
}

/**
 * Processes that belong together and outlive their connection. The id is a secret: whoever has it,
 * and is the same principal, may attach.
 */
export class Session {
  readonly id: string;
  /** Whoever the connection was made for, when that is known. */
  readonly principal: string | null;
  readonly processes: ProcessTable;
  #attachment: Attachment | null = null;

  constructor(id: string, principal: string | null, closedProcessMs: number) {
    this.id = id;
    this.principal = principal;
    this.processes = new ProcessTable(closedProcessMs);
  }

  get attachment(): Attachment | null {
    return this.#attachment;
  }

  attach(attachment: Attachment): void {
    const previous = this.#attachment;
    this.#attachment = attachment;
    previous?.superseded();
  }

  /** False when that connection had been replaced already. */
  detach(attachment: Attachment): boolean {
    if (this.#attachment !== attachment) return false;
    this.#attachment = null;
    return true;
  }

  /** Events of a new process go to whichever connection is attached by now. */
  announce(process: ManagedProcess): void {
    this.#attachment?.follow(process, 0);
  }

  /** What happened while nobody was attached is not told again: clients read it. */
  followAll(): void {
    for (const process of this.processes.all()) {
      if (!process.started.closed) this.#attachment?.follow(process, process.started.nextSeq - 1);
    }
  }
}

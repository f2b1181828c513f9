import type { StartedProcess } from "../ports.ts";
import { looksDenied } from "../sandbox/denied.ts";

/** A process under the name its client gave it. */
export class ManagedProcess {
  readonly id: string;
  readonly started: StartedProcess;
  readonly #sandboxed: boolean;
  #denied: boolean | null = null;

  /** `sandboxed`: the start asked for a sandbox, so a failure may be the sandbox's doing. */
  constructor(id: string, started: StartedProcess, sandboxed: boolean) {
    this.id = id;
    this.started = started;
    this.#sandboxed = sandboxed;
  }

  /** Decided once, from the output before the exit. False until then. */
  get sandboxDenied(): boolean {
    const { exit } = this.started;
    if (!this.#sandboxed || exit === null) return false;
    this.#denied ??= looksDenied(exit.exitCode, this.#outputBefore(exit.seq));
    return this.#denied;
  }

  /** Bytes of output that are still held. */
  get heldBytes(): number {
    let bytes = 0;
    for (const chunk of this.started.retained(0)) bytes += chunk.bytes.length;
    return bytes;
  }

  *#outputBefore(seq: number) {
    for (const chunk of this.started.retained(0)) {
      if (chunk.seq > seq) return;
      yield chunk;
    }
  }
}

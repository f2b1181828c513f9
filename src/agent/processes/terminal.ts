import { closeSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import type { OnReadOpts, SocketConstructorOpts } from "node:net";
import { Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ReadStream } from "node:tty";
import type { TerminalSize } from "../../contract/process.ts";
import { systemCode } from "../../errors.ts";

/** The native part of node-pty that we use. Descriptors it returns are inherited by every spawn. */
interface PtyBinding {
  open(cols: number, rows: number): { master: number; slave: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

/** The most that the kernel hands out of a terminal at once. @see n_tty(4) */
const READ_BYTES = 4096;
/** So many reads in one go; more than the kernel holds for one terminal. */
const MAX_READS = 256;
/** How long those who still hold the terminal may take to die, in steps. */
const DYING_STEP_MS = 5;
const DYING_STEPS = 100;

/** Descriptors of open terminals, which other commands must not inherit. */
const openDescriptors = new Set<number>();

/** Every descriptor that a spawn has to cover. @see coverDescriptors */
export function terminalDescriptors(): ReadonlySet<number> {
  return openDescriptors;
}

/** A pseudo-terminal. `finish` it when its command has ended: nothing that was printed gets lost. */
export class Terminal {
  readonly #binding: PtyBinding;
  readonly #master: number;
  readonly #socket: ReadStream;
  #slave: number | null;
  /** What the command prints. */
  readonly output: Readable;

  constructor(bindingPath: string, size: TerminalSize) {
    this.#binding = createRequire(bindingPath)(bindingPath) as PtyBinding;
    const { master, slave } = this.#binding.open(size.cols, size.rows);
    this.#master = master;
    this.#slave = slave;
    openDescriptors.add(master).add(slave);
    this.output = new Readable({ read: () => void this.#socket.resume() });
    this.#socket = new ReadStream(master, this.#intoOutput());
    this.#socket.on("error", () => {});
    this.#socket.once("close", () => openDescriptors.delete(master));
  }

  /** What is typed. */
  get input(): Writable {
    return this.#socket;
  }

  /** The command's side. @throws {Error} after `finish` */
  get slave(): number {
    if (this.#slave === null) throw new Error("the terminal's command side is closed");
    return this.#slave;
  }

  resize({ rows, cols }: TerminalSize): void {
    if (!this.#socket.destroyed) this.#binding.resize(this.#master, cols, rows);
  }

  /**
   * Takes what is left, and ends the output. By hand: the event loop takes a hang-up for the end of the
   * data, and would leave behind what came before it. Our own side of the terminal, closed last, keeps
   * the hang-up away until all that the command itself printed has been taken.
   */
  async finish(): Promise<void> {
    this.#socket.pause();
    this.#takeWhatIsThere();
    this.#closeSlave();
    for (let step = 0; step < DYING_STEPS && this.#takeWhatIsThere(); step += 1) {
      await sleep(DYING_STEP_MS);
    }
    this.output.push(null);
    this.#socket.destroy();
  }

  /** Closes both sides at once. */
  destroy(): void {
    this.#closeSlave();
    this.output.destroy();
    this.#socket.destroy();
  }

  /** Only this way of reading stops at once when it is told to. */
  #intoOutput(): SocketConstructorOpts & { onread: OnReadOpts } {
    const callback = (length: number, bytes: Uint8Array) =>
      this.output.push(Buffer.from(bytes.subarray(0, length)));
    return { onread: { buffer: Buffer.allocUnsafe(READ_BYTES), callback } };
  }

  /** False when there can be no more. */
  #takeWhatIsThere(): boolean {
    for (let read = 0; read < MAX_READS && !this.#socket.destroyed; read += 1) {
      const bytes = Buffer.allocUnsafe(READ_BYTES);
      try {
        const length = readSync(this.#master, bytes);
        if (length === 0) return false;
        this.output.push(bytes.subarray(0, length));
      } catch (error) {
        return systemCode(error) === "EAGAIN";
      }
    }
    return !this.#socket.destroyed;
  }

  #closeSlave(): void {
    if (this.#slave === null) return;
    openDescriptors.delete(this.#slave);
    closeSync(this.#slave);
    this.#slave = null;
  }
}

import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import { ReadStream } from "node:tty";
import type { TerminalSize } from "../../contract/process.ts";

/** The native part of node-pty that we use. Descriptors it returns are inherited by every spawn. */
interface PtyBinding {
  open(cols: number, rows: number): { master: number; slave: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

/** Descriptors of open terminals, which other commands must not inherit. */
const openDescriptors = new Set<number>();

/** Every descriptor that a spawn has to cover. @see coverDescriptors */
export function terminalDescriptors(): ReadonlySet<number> {
  return openDescriptors;
}

/**
 * A pseudo-terminal. Reading ends only when every holder of the other side is gone, so bytes printed
 * just before the exit arrive.
 */
export class Terminal {
  readonly #binding: PtyBinding;
  readonly #master: number;
  #slave: number | null;
  /** Both directions of the terminal's master side. */
  readonly stream: ReadStream;

  constructor(bindingPath: string, size: TerminalSize) {
    this.#binding = createRequire(bindingPath)(bindingPath) as PtyBinding;
    const { master, slave } = this.#binding.open(size.cols, size.rows);
    this.#master = master;
    this.#slave = slave;
    openDescriptors.add(master).add(slave);
    this.stream = new ReadStream(master);
    this.stream.once("close", () => openDescriptors.delete(master));
  }

  /** The command's side. @throws {Error} after `release` */
  get slave(): number {
    if (this.#slave === null) throw new Error("the terminal's command side is closed");
    return this.#slave;
  }

  resize({ rows, cols }: TerminalSize): void {
    if (!this.stream.destroyed) this.#binding.resize(this.#master, cols, rows);
  }

  /** Lets go of the command's side, so that the stream can end once the command has. */
  release(): void {
    if (this.#slave === null) return;
    openDescriptors.delete(this.#slave);
    closeSync(this.#slave);
    this.#slave = null;
  }
}

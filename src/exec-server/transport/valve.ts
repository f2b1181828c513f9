/** Stops a loop that asks before each turn. */
export class Valve {
  #opened: Promise<void> | null = null;
  #open = () => {};

  close(): void {
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
    this.#opened = null;
  }

  /** Null when nothing holds the loop up. */
  get opened(): Promise<void> | null {
    return this.#opened;
  }
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Takes the signals that end a process, however often they come, until they are released. */
export class Signals {
  /** Rejects at the first one. */
  readonly interruption: Promise<never>;
  #interrupt: (signal: NodeJS.Signals) => void = () => {};

  constructor() {
    this.interruption = new Promise((_, reject) => {
      this.#interrupt = (signal) => reject(new Error(`interrupted by ${signal}`));
    });
    // Whoever waits learns of it; until somebody does, it is no failure.
    this.interruption.catch(() => {});
    for (const signal of ENDING) process.on(signal, this.#interrupt);
  }

  release(): void {
    for (const signal of ENDING) process.off(signal, this.#interrupt);
  }
}

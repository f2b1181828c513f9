/** What has been opened so far, closed in the opposite order. */
export class Closers implements AsyncDisposable {
  readonly #closers: (() => Promise<unknown> | PromiseLike<unknown>)[] = [];

  /** Takes charge of `opened` and hands it on. */
  add<T extends AsyncDisposable>(opened: T): T {
    this.defer(() => opened[Symbol.asyncDispose]());
    return opened;
  }

  defer(close: () => Promise<unknown> | PromiseLike<unknown>): void {
    this.#closers.push(close);
  }

  /** Closes everything, even if some of it fails; then throws the first failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

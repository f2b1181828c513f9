/** A stream of the caller's that is sent away, and what it failed with, if it did. */
export class OwnErrors<T> implements AsyncIterable<T> {
  readonly #source: AsyncIterable<T>;
  failure: { readonly error: unknown } | undefined;

  constructor(source: AsyncIterable<T>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      yield* this.#source;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

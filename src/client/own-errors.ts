/** A stream of the caller's that is sent away, and what it failed with, if it did. */
export class OwnErrors implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  failure: { readonly error: unknown } | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#source;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

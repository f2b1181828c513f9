/** A command was started and nobody saw its end. */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknownError";
  readonly hint: string | undefined;

  constructor(message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.hint = options.hint;
  }
}

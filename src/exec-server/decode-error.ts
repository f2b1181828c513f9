/** A value that is not of the expected shape. The message names the fault, not where it is. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

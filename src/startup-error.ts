/** Why the service does not start, and what would let it. For the operator, who reads the message. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

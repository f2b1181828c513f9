/** The promise's outcome, or the signal's reason as soon as it fires. The work itself goes on. */
export async function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) promise.catch(() => {});
  signal.throwIfAborted();
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([promise, left]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

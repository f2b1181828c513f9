import type { Output } from "./command.ts";

const EVERY_MS = 1_000;
const ERASE_LINE = "\r\x1b[K";

/**
 * Says on a terminal what is being waited for, from the first second on, and erases it when the
 * wait is over. Elsewhere it says nothing.
 */
export async function withProgress<T>(
  stderr: Output,
  what: () => string,
  work: Promise<T>,
): Promise<T> {
  if (!stderr.isTTY) return work;
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    stderr.write(`${ERASE_LINE}${what()} … ${seconds} s`);
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (seconds > 0) stderr.write(ERASE_LINE);
  }
}

import { closeSync, constants, openSync, readSync } from "node:fs";

/** Neither a link that was put there a moment ago nor a fifo without a writer may lead us on. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The beginning of a file that a command may change at any time, as Latin-1; empty when it cannot be
 * read. Executable files need not be readable.
 */
export function firstBytes(path: string, length: number): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, FLAGS);
  } catch {
    return "";
  }
  try {
    const buffer = Buffer.alloc(length);
    return buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, length, 0));
  } catch {
    return "";
  } finally {
    closeSync(descriptor);
  }
}

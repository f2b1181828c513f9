import { closeSync, constants, openSync } from "node:fs";
import type { Way } from "../view.ts";

/** Only names the file: works without any right on it, and opens neither fifos nor devices. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

/** Descriptors that a launcher inherits, ours until it has its own. */
export class Descriptors implements Disposable {
  readonly #open: number[] = [];

  keep(descriptor: number): number {
    this.#open.push(descriptor);
    return descriptor;
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#open.splice(0)) closeSync(descriptor);
  }
}

/**
 * Goes to a folder step by step, through no link. Whoever renames or replaces a step meanwhile makes
 * this fail; afterwards nothing can put another folder in the place of the one that is open.
 * @throws the system's error
 */
export function openFolder({ from, segments }: Way): number {
  let folder = openSync(from, O_PATH | O_DIRECTORY);
  for (const segment of segments) {
    try {
      const next = openSync(childOf(folder, segment), O_PATH | O_DIRECTORY | O_NOFOLLOW);
      closeSync(folder);
      folder = next;
    } catch (error) {
      closeSync(folder);
      throw error;
    }
  }
  return folder;
}

/** Opens what stands at a name in an open folder, a link as the link itself. */
export function openChild(folder: number, name: string): number {
  return openSync(childOf(folder, name), O_PATH | O_NOFOLLOW);
}

/** @see proc_pid_fd(5): resolves the name in the open folder, as openat(2) does */
export function childOf(folder: number, name: string): string {
  return `${openPath(folder)}/${name}`;
}

/** A path to what is open, wherever it has been moved. */
export function openPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

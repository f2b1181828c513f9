import { openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asError, OutworkError } from "../../../errors.ts";
import { launchRefused } from "../launch-refused.ts";
import { seccompProgram } from "./program.ts";
import type { Network } from "./sockets.ts";
import type { Architecture } from "./syscalls.ts";

/**
 * The filters of one agent, each in a file without a name: a launcher reads from its descriptor's own
 * position, and opening an open file anew is the cheapest way to a position of its own.
 */
export class SeccompFilters {
  readonly #folder: string;
  readonly #files = new Map<Network, number>();

  /** @param folder where commands cannot look */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * A descriptor at the start of a filter, for one launcher. The caller closes it.
   * @throws `enforcement-missing` there is no filter for this machine, or nowhere to put it
   * @throws `quota-exceeded` too many files are open
   */
  open(network: Network): number {
    try {
      const file = this.#files.get(network) ?? this.#make(network);
      this.#files.set(network, file);
      return openSync(`/proc/self/fd/${file}`, "r");
    } catch (error) {
      throw error instanceof OutworkError ? error : launchRefused(asError(error).message);
    }
  }

  #make(network: Network): number {
    const path = join(this.#folder, `network-${network}.seccomp`);
    rmSync(path, { force: true });
    writeFileSync(path, seccompProgram(architecture(), network), { mode: 0o400 });
    try {
      return openSync(path, "r");
    } finally {
      rmSync(path);
    }
  }
}

function architecture(): Architecture {
  if (process.arch === "x64" || process.arch === "arm64") return process.arch;
  throw new OutworkError(
    "enforcement-missing",
    `There is no seccomp filter for ${process.arch}. Environments run on x64 and arm64.`,
    { facts: { missing: "seccomp-filter", architecture: process.arch } },
  );
}

import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { asError, systemCode } from "../../errors.ts";
import { killSandbox } from "../processes/tree.ts";
import { launchRefused } from "./launch-refused.ts";
import { type Launcher, type SandboxSpawn, spawnLauncher } from "./spawn.ts";

/** A sandbox that takes longer to build than this is not waited for. */
const TIMEOUT_MS = 60_000;

/** How a launcher ended; it ends as its command does. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The sandbox could not be built, and nothing has run. What the launcher said is in its output. */
export class LaunchFailedError extends Error {
  override readonly name = "LaunchFailedError";
}

/** A sandbox that is being built, for a command that does not run before `open`. */
export class Launch {
  readonly child: ChildProcess;
  /** Settles when the launcher, and so its command, has ended. Never rejects. */
  readonly exited: Promise<Exit>;
  /** The sandbox's init, as soon as there is one; null when the launcher ended before. */
  readonly init: Promise<number | null>;
  readonly #gate: Duplex;
  readonly #gateClosed: Promise<boolean>;
  readonly #timeoutMs: number;
  #failure = "";

  constructor({ child, info, gate }: Launcher, timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    this.child = child;
    this.init = initOf(info);
    this.#gate = gate.on("error", () => {});
    this.#gateClosed = endsInPeace(gate);
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      child.once("error", (error) => {
        this.#failure = error.message;
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
  }

  /**
   * Lets the command run once its sandbox stands. Resolves with the sandbox's init when it does.
   * @throws {LaunchFailedError}
   */
  async open(): Promise<number> {
    const timer = setTimeout(() => {
      this.#failure = `it took longer than ${this.#timeoutMs} ms`;
      this.#kill();
    }, this.#timeoutMs);
    try {
      const passed = (await this.#offerByte()) && (await this.#gateClosed);
      const init = passed ? await this.init : null;
      if (init !== null) return init;
      await this.exited;
      throw new LaunchFailedError(this.#failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /** False when the launcher has closed the gate before. */
  #offerByte(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#gate.write("x", (error) => resolve(!error));
    });
  }

  /** Ends what has been built so far. Nothing will run. */
  async abandon(): Promise<void> {
    this.#kill();
    await this.exited;
  }

  #kill(): void {
    if (this.child.pid !== undefined) killSandbox(this.child.pid, null);
  }
}

/**
 * Begins a sandbox. Whoever wants what is printed in it has to listen at once.
 * @throws `enforcement-missing` or `quota-exceeded` when the kernel refuses the launcher itself
 */
export function launchSandbox(sandbox: SandboxSpawn): Launch {
  try {
    return new Launch(spawnLauncher(sandbox));
  } catch (error) {
    throw launchRefused(systemCode(error) ?? asError(error).message);
  }
}

async function initOf(info: Duplex): Promise<number | null> {
  const said = await text(info).catch(() => "");
  const pid = /"child-pid": *([0-9]+)/.exec(said)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * Whether the other side closes the gate with nothing left in it. A launcher that has taken its byte
 * does; one that dies with the byte unread breaks the connection.
 * @see unix(7): ECONNRESET
 */
function endsInPeace(gate: Duplex): Promise<boolean> {
  return new Promise((resolve) => {
    gate.once("end", () => resolve(true));
    gate.once("close", () => resolve(false));
    gate.resume();
  });
}

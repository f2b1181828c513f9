import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { asError, systemCode } from "../../errors.ts";
import { killSandbox } from "../processes/tree.ts";
import { launchRefused } from "./launch-refused.ts";
import { type Launcher, type SandboxSpawn, spawnLauncher } from "./spawn.ts";

/** How a launcher ended; it ends as its command does. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A sandbox that is being built, for a command that does not run before `open`. */
export class Launch {
  readonly child: ChildProcess;
  /** Settles when the launcher, and so its command, has ended. Never rejects. */
  readonly exited: Promise<Exit>;
  /** The sandbox's init, as soon as there is one; null when the launcher ended before. */
  readonly init: Promise<number | null>;
  readonly #gate: Duplex;
  readonly #complaints: () => Promise<string>;
  #failure: Error | null = null;

  /** @param complaints what the launcher printed until its end */
  constructor({ child, info, gate }: Launcher, complaints: () => Promise<string>) {
    this.child = child;
    this.init = initOf(info);
    this.#gate = gate.on("error", () => {});
    this.#complaints = complaints;
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      child.once("error", (error) => {
        this.#failure = error;
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
  }

  /**
   * Lets the command run once its sandbox stands. Resolves with the sandbox's init when it does.
   * @throws `enforcement-missing` or `quota-exceeded`: it could not be built, and nothing has run
   */
  async open(): Promise<number> {
    const passed = passes(this.#gate);
    this.#gate.write("x");
    const init = (await passed) ? await this.init : null;
    if (init !== null) return init;
    await this.exited;
    throw launchRefused(this.#failure?.message ?? (await this.#complaints()).trim());
  }

  /** Ends what has been built so far. Nothing will run. */
  async abandon(): Promise<void> {
    if (this.child.pid !== undefined) killSandbox(this.child.pid, null);
    await this.exited;
  }
}

/**
 * Begins a sandbox.
 * @throws as `Launch.open`, when the kernel refuses the launcher itself
 */
export function launchSandbox(sandbox: SandboxSpawn, complaints?: () => Promise<string>): Launch {
  try {
    const launcher = spawnLauncher(sandbox);
    const { stderr } = launcher.child;
    return new Launch(launcher, complaints ?? (async () => (stderr ? text(stderr) : "")));
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
 * Whether the byte in the gate is taken. A launcher that has taken it closes the gate, which ends in
 * peace; one that dies with the byte unread breaks the connection.
 * @see unix(7): ECONNRESET
 */
function passes(gate: Duplex): Promise<boolean> {
  return new Promise((resolve) => {
    gate.once("end", () => resolve(true));
    gate.once("close", () => resolve(false));
    gate.resume();
  });
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Outwork } from "../client/index.ts";

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));
const START_MS = 30_000;
const SHOWN_LOG_LINES = 15;

/** The service as a process of its own: embedded placement, a free port of loopback. */
export class ServiceProcess {
  /** Everything that the service keeps; agents of other users must be able to pass through. */
  readonly stateFolder: string;
  #child: ChildProcess | undefined;

  constructor(stateFolder: string) {
    this.stateFolder = stateFolder;
  }

  /** Resolves once the service answers. */
  async start(): Promise<void> {
    await rm(this.#address, { force: true });
    const log = openSync(this.#log, "a");
    this.#child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, OUTWORK_STATE: this.stateFolder, OUTWORK_PORT: "0" },
      stdio: ["ignore", log, log],
    });
    await this.#answers(this.#child, Date.now() + START_MS);
  }

  client(): Promise<Outwork> {
    return Outwork.local({ OUTWORK_STATE: this.stateFolder });
  }

  async port(): Promise<string> {
    return new URL(JSON.parse(await readFile(this.#address, "utf8")).url).port;
  }

  /** As a crash would end it. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  get #address(): string {
    return join(this.stateFolder, "service.json");
  }

  get #log(): string {
    return join(this.stateFolder, "service.log");
  }

  async #answers(child: ChildProcess, deadline: number): Promise<void> {
    for (;;) {
      if (child.exitCode !== null) throw new Error(await this.#lastWords("ended"));
      if (Date.now() > deadline) throw new Error(await this.#lastWords("does not answer"));
      if (await this.#isThere()) return;
      await setTimeout(100);
    }
  }

  async #isThere(): Promise<boolean> {
    try {
      await using outwork = await this.client();
      await outwork.environments.list();
      return true;
    } catch {
      return false;
    }
  }

  async #lastWords(what: string): Promise<string> {
    const log = await readFile(this.#log, "utf8");
    const end = log.trimEnd().split("\n").slice(-SHOWN_LOG_LINES).join("\n");
    return `the service ${what}; its log ends:\n${end}`;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}

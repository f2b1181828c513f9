import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Outwork } from "../client/index.ts";
import type { PlacementKind } from "../contract/index.ts";

const OUTWORK = fileURLToPath(new URL("../cli/main.js", import.meta.url));
const START_MS = 30_000;
const SHOWN_LOG_LINES = 15;

/** `outwork serve` as a process of its own, on a free port of loopback. */
export class ServiceProcess {
  /** Everything that the service keeps; agents of other users must be able to pass through. */
  readonly stateFolder: string;
  readonly #placements: readonly PlacementKind[];
  #child: ChildProcess | undefined;

  constructor(stateFolder: string, placements: readonly PlacementKind[]) {
    this.stateFolder = stateFolder;
    this.#placements = placements;
  }

  /** Resolves once the service answers. */
  async start(): Promise<void> {
    await rm(this.#address, { force: true });
    const placements = this.#placements.flatMap((kind) => ["--placement", kind]);
    const flags = ["--port", "0", "--state", this.stateFolder, ...placements];
    const log = openSync(this.#log, "a");
    this.#child = spawn(process.execPath, [OUTWORK, "serve", ...flags], {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", log, log],
      // Ctrl-C is for us: we need the service to clean up.
      detached: true,
    });
    closeSync(log);
    await this.#answers(this.#child, Date.now() + START_MS);
  }

  client(): Promise<Outwork> {
    return Outwork.local({ OUTWORK_STATE: this.stateFolder });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
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
    if (child === undefined || !this.isRunning) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}

import type { ChildProcess } from "node:child_process";
import type { AgentConfig } from "../../contract/agent.ts";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type { TerminalSize } from "../../contract/process.ts";
import { Terminal, terminalDescriptors } from "../processes/terminal.ts";
import type { EnvironmentView } from "../view.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { guardRoots } from "./guards.ts";
import { type Audience, mountPlan, type Writable } from "./mount-plan.ts";
import { initOf, type Stdio, spawnSandboxed } from "./spawn.ts";
import { StandIns } from "./stand-ins.ts";

/** One command to run under one effective policy. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly policy: EffectivePolicy;
  readonly stdin: "closed" | "pipe";
  readonly tty: TerminalSize | null;
  /** What the command leaves behind runs on, until it ends by itself or is terminated. */
  readonly leavesChildren: boolean;
}

/** A command that has been handed to the kernel. */
export interface Sandboxed {
  readonly child: ChildProcess;
  readonly terminal: Terminal | null;
  /** The sandbox's init, for commands that leave children behind; null for others. */
  readonly init: Promise<number | null>;
  /** To be called once all of it is gone: takes stand-ins away. */
  release(): void;
}

/** What the agent's own programs need of their surroundings. */
const HELPER = { cwd: "/", variables: {}, leavesChildren: false };

/** Builds the kernel sandbox of every command and helper of one environment. */
export class Sandbox {
  readonly #config: AgentConfig;
  readonly #view: EnvironmentView;
  readonly #standIns = new StandIns();

  constructor(config: AgentConfig, view: EnvironmentView) {
    this.#config = config;
    this.#view = view;
  }

  /** @throws `policy-denied` when the policy cannot be held as things stand on the disk */
  run(command: SandboxedCommand): Sandboxed {
    const { policy } = command;
    const guards = this.#guard(policy.files);
    try {
      const options = this.#options(command, guards.writable, "command");
      const spawned = this.#spawn(command, options);
      const init = command.leavesChildren ? initOf(spawned.child) : Promise.resolve(null);
      return { ...spawned, init, release: guards.release };
    } catch (error) {
      guards.release();
      throw error;
    }
  }

  /**
   * Runs one of the agent's own helpers where commands run: it sees what they see and the toolbox,
   * may write what `files` says, and has no network.
   */
  runHelper(args: readonly string[], files: EffectivePolicy["files"]): ChildProcess {
    const guards = this.#guard(files);
    const isolation = { ...HELPER, policy: { network: "off" as const } };
    const options = this.#options(isolation, guards.writable, "helper");
    const argv = [...this.#config.programs.helper, ...args];
    const child = this.#start(argv, options, ["pipe", "pipe", "pipe"]);
    child.once("close", guards.release);
    child.once("error", guards.release);
    return child;
  }

  /** A program that does nothing, in the sandbox that commands would get. */
  runProbe(): ChildProcess {
    const isolation = { ...HELPER, policy: this.#config.policy };
    const options = this.#options(isolation, [], "command");
    const argv = [...this.#config.programs.setsid, "--version"];
    return this.#start(argv, options, ["ignore", "ignore", "pipe"]);
  }

  #guard(files: EffectivePolicy["files"]): { writable: Writable; release: () => void } {
    if (files.write === "all") return { writable: "all", release: () => {} };
    const guards = guardRoots(files.write, files.protected_names, this.#view, this.#standIns);
    return { writable: guards.roots, release: guards.release };
  }

  #options(
    command: Pick<SandboxedCommand, "cwd" | "variables" | "leavesChildren"> & {
      policy: Pick<EffectivePolicy, "network">;
    },
    writable: Writable,
    audience: Audience,
  ): readonly string[] {
    const { uid, gid, layout, environment_id } = this.#config;
    return bubblewrapArguments(mountPlan(this.#config, writable, audience), {
      network: command.policy.network,
      uid,
      gid,
      cwd: command.cwd,
      variables: command.variables,
      endsWithCommand: !command.leavesChildren,
      hostname: layout.kind === "host" ? environment_id : null,
    });
  }

  #spawn(
    command: SandboxedCommand,
    options: readonly string[],
  ): Pick<Sandboxed, "child" | "terminal"> {
    if (command.tty === null) {
      const stdio = [command.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"] as const;
      const child = this.#start(command.argv, options, stdio, command.leavesChildren);
      return { child, terminal: null };
    }
    const terminal = new Terminal(this.#config.pty, command.tty);
    try {
      const argv = [...this.#config.programs.setsid, "-c", ...command.argv];
      const { slave } = terminal;
      return { child: this.#start(argv, options, [slave, slave, slave]), terminal };
    } catch (error) {
      terminal.release();
      terminal.stream.destroy();
      throw error;
    }
  }

  #start(
    argv: readonly string[],
    options: readonly string[],
    stdio: readonly [Stdio, Stdio, Stdio],
    reportsInit = false,
  ): ChildProcess {
    const { bwrap: launcher } = this.#config.programs;
    const inherited = terminalDescriptors();
    return spawnSandboxed({ launcher, options, argv, stdio, reportsInit, inherited });
  }
}

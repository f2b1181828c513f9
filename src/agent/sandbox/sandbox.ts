import type { ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import type { AgentConfig } from "../../contract/agent.ts";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type { TerminalSize } from "../../contract/process.ts";
import { Terminal, terminalDescriptors } from "../processes/terminal.ts";
import type { EnvironmentView } from "../view.ts";
import { bubblewrapArguments, type LauncherOptions } from "./bubblewrap.ts";
import { Descriptors } from "./descriptors.ts";
import { guardRoots } from "./guards.ts";
import { type Exit, type Launch, launchSandbox } from "./launch.ts";
import { launchRefused } from "./launch-refused.ts";
import { type Audience, mountPlan, type Writable } from "./mount-plan.ts";
import { SeccompFilters } from "./seccomp/filters.ts";
import type { Network } from "./seccomp/sockets.ts";
import type { Stdio } from "./spawn.ts";
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

/** A command in its sandbox. */
export interface Sandboxed {
  readonly child: ChildProcess;
  readonly terminal: Terminal | null;
  /** Settles when the command has ended. Never rejects. */
  readonly exited: Promise<Exit>;
  /** The sandbox's init: all that is inside ends with it. */
  readonly init: number;
  readonly leavesChildren: boolean;
  /** To be called once all of it is gone: takes stand-ins away. */
  release(): void;
}

/** What the agent's own programs need of their surroundings. */
const HELPER = { cwd: "/", variables: {}, leavesChildren: false };

/** Builds the kernel sandbox of every command and helper of one environment. */
export class Sandbox {
  readonly #config: AgentConfig;
  readonly #view: EnvironmentView;
  readonly #filters: SeccompFilters;
  readonly #standIns = new StandIns();

  constructor(config: AgentConfig, view: EnvironmentView) {
    this.#config = config;
    this.#view = view;
    this.#filters = new SeccompFilters(dirname(config.socket));
  }

  /**
   * Resolves when the command is about to run, with all walls around it.
   * @throws `policy-denied` when the policy cannot be held as things stand on the disk
   * @throws `enforcement-missing` or `quota-exceeded` when its sandbox could not be built
   */
  async run(command: SandboxedCommand): Promise<Sandboxed> {
    const { policy, leavesChildren } = command;
    using opened = new Descriptors();
    const guards = this.#guard(policy.files, opened);
    try {
      const options = this.#options(command, guards.writable, "command", opened);
      const { launch, terminal } = this.#launchCommand(command, options);
      const { child, exited } = launch;
      const init = await launch.open();
      return { child, terminal, exited, init, leavesChildren, release: guards.release };
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
    using opened = new Descriptors();
    const guards = this.#guard(files, opened);
    const isolation = { ...HELPER, policy: { network: "off" as const } };
    const options = this.#options(isolation, guards.writable, "helper", opened);
    const argv = [...this.#config.programs.helper, ...args];
    const launch = this.#launch(argv, options, ["pipe", "pipe", "pipe"]);
    void launch.open().catch(() => {});
    void launch.exited.then(guards.release);
    return launch.child;
  }

  /**
   * Runs a program that does nothing in the sandbox that commands would get.
   * @throws as `run`
   */
  async probe(): Promise<void> {
    using opened = new Descriptors();
    const isolation = { ...HELPER, policy: this.#config.policy };
    const options = this.#options(isolation, [], "command", opened);
    const argv = [...this.#config.programs.setsid, "--version"];
    const launch = this.#launch(argv, options, ["ignore", "ignore", "pipe"]);
    await launch.open();
    const { code } = await launch.exited;
    if (code !== 0) throw launchRefused(`a program in it ended with ${code}`);
  }

  #guard(
    { write, protected_names }: EffectivePolicy["files"],
    opened: Descriptors,
  ): { writable: Writable; release: () => void } {
    if (write === "all") return { writable: "all", release: () => {} };
    const means = { view: this.#view, standIns: this.#standIns, opened };
    const { places, release } = guardRoots(write, protected_names, means);
    return { writable: places, release };
  }

  #options(
    command: Pick<SandboxedCommand, "cwd" | "variables" | "leavesChildren"> & {
      policy: Pick<EffectivePolicy, "network">;
    },
    writable: Writable,
    audience: Audience,
    opened: Descriptors,
  ): LauncherOptions {
    const { uid, gid, layout, environment_id } = this.#config;
    return bubblewrapArguments(mountPlan(this.#config, writable, audience), {
      network: command.policy.network,
      uid,
      gid,
      cwd: command.cwd,
      variables: command.variables,
      endsWithCommand: !command.leavesChildren,
      hostname: layout.kind === "host" ? environment_id : null,
      filter: opened.keep(this.#filters.open(this.#networkOf(command.policy))),
    });
  }

  /** Without a toolbox the agent works on the machine that it was started on, in its network. */
  #networkOf({ network }: Pick<EffectivePolicy, "network">): Network {
    if (network === "off") return "off";
    const { layout, toolbox } = this.#config;
    return layout.kind === "host" || toolbox === null ? "host" : "own";
  }

  #launchCommand(
    { argv, stdin, tty }: SandboxedCommand,
    options: LauncherOptions,
  ): { launch: Launch; terminal: Terminal | null } {
    if (tty === null) {
      const stdio = [stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"] as const;
      return { launch: this.#launch(argv, options, stdio), terminal: null };
    }
    const terminal = new Terminal(this.#config.pty, tty);
    const { slave } = terminal;
    const leading = [...this.#config.programs.setsid, "-c", ...argv];
    const complaints = async () => {
      await terminal.finish();
      return text(terminal.output);
    };
    try {
      return {
        launch: this.#launch(leading, options, [slave, slave, slave], complaints),
        terminal,
      };
    } catch (error) {
      terminal.destroy();
      throw error;
    }
  }

  #launch(
    argv: readonly string[],
    options: LauncherOptions,
    stdio: readonly [Stdio, Stdio, Stdio],
    complaints?: () => Promise<string>,
  ): Launch {
    const { bwrap: launcher } = this.#config.programs;
    const inherited = terminalDescriptors();
    return launchSandbox({ launcher, ...options, argv, stdio, inherited }, complaints);
  }
}

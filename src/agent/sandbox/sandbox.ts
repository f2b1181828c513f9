import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import type { AgentConfig } from "../../contract/agent.ts";
import type { EffectivePolicy } from "../../contract/policy.ts";
import type { TerminalSize } from "../../contract/process.ts";
import { asError, OutworkError } from "../../errors.ts";
import { Terminal, terminalDescriptors } from "../processes/terminal.ts";
import type { EnvironmentView } from "../view.ts";
import { Bounds } from "./bounds.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { guardRoots, type Place, type RootFiles } from "./guards.ts";
import { type Exit, type Launch, LaunchFailedError, launchSandbox } from "./launch.ts";
import { launchRefused } from "./launch-refused.ts";
import { type Audience, mountPlan, type Writable } from "./mount-plan.ts";
import { showsPlaces } from "./mounted.ts";
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

/** A command that has been handed to the kernel. */
export interface Sandboxed {
  readonly child: ChildProcess;
  readonly terminal: Terminal | null;
  /** Settles when the command has ended. Never rejects. */
  readonly exited: Promise<Exit>;
  /**
   * Resolves when the command is about to run, with all walls around it, with the sandbox's init: all
   * that is inside ends with it.
   * @throws {LaunchFailedError} the sandbox could not be built
   * @throws `policy-denied` something was replaced meanwhile
   */
  readonly opened: Promise<number>;
  readonly leavesChildren: boolean;
  /** To be called once all of it is gone: takes stand-ins away. */
  release(): void;
}

/** How a command's policy meets the disk. */
interface Prepared {
  readonly writable: Writable;
  readonly unsteady: readonly Place[];
  release(): void;
}

/** How a launcher is told to build one sandbox. */
interface Box {
  readonly options: readonly string[];
  readonly network: Network;
}

/** What the agent's own programs need of their surroundings. */
const COMMAND: Audience = { kind: "command" };
const HELPER = { cwd: "/", variables: {}, leavesChildren: false };

/** Builds the kernel sandbox of every command and helper of one environment. */
export class Sandbox {
  readonly #config: AgentConfig;
  readonly #view: EnvironmentView;
  readonly #standIns = new StandIns();
  readonly #filters: SeccompFilters;
  /** What commands may write at all. */
  readonly #bounds: Bounds;
  /** What the environment's owner may write: its own folders, whatever the policy protects. */
  readonly #ownerFiles: RootFiles;
  readonly #ownerBounds: Bounds;

  constructor(config: AgentConfig, view: EnvironmentView) {
    this.#config = config;
    this.#view = view;
    this.#filters = new SeccompFilters(dirname(config.socket));
    this.#bounds = new Bounds(config.policy.files, view);
    this.#ownerFiles = ownerFiles(config);
    this.#ownerBounds = new Bounds(this.#ownerFiles, view);
  }

  /** Names that empty folders of ours may have, anywhere, while commands run. */
  get standInNames(): readonly string[] {
    const { protected_names } = this.#config.policy.files;
    return [...new Set([...protected_names, ...this.#standIns.names])];
  }

  /**
   * Whoever wants what the command prints has to listen at once.
   * @throws `policy-denied` when the policy cannot be held as things stand on the disk
   * @throws `enforcement-missing` or `quota-exceeded` when the launcher cannot even be started
   */
  run(command: SandboxedCommand): Sandboxed {
    const { leavesChildren } = command;
    const prepared = this.#prepare(command.policy.files, this.#bounds);
    const { release } = prepared;
    let terminal: Terminal | null = null;
    try {
      const box = this.#box(command, prepared.writable, COMMAND);
      if (command.tty) terminal = new Terminal(this.#config.pty, command.tty);
      const launch = this.#launchCommand(command, box, terminal);
      const { child, exited } = launch;
      const opened = open(launch, prepared.unsteady);
      return { child, terminal, exited, opened, leavesChildren, release };
    } catch (error) {
      terminal?.destroy();
      release();
      throw error;
    }
  }

  /**
   * Runs one of the agent's own helpers where commands run: it sees what they see and the toolbox,
   * may write what `files` says and its journals, and has no network.
   * @param journal the agent's path of a folder that the helper finds at JOURNAL_FOLDER
   */
  runHelper(
    args: readonly string[],
    files: EffectivePolicy["files"],
    journal: string | null = null,
  ): ChildProcess {
    return this.#runHelper(args, this.#prepare(files, this.#bounds), journal);
  }

  /**
   * The same for one that acts for whoever may create the environment, and not for a command: it may
   * write the environment's own folders under any policy, protected names included.
   */
  runOwnersHelper(args: readonly string[]): ChildProcess {
    return this.#runHelper(args, this.#prepare(this.#ownerFiles, this.#ownerBounds), null);
  }

  /**
   * Runs a program that does nothing in the sandbox that commands would get.
   * @throws `enforcement-missing` with what the launcher said
   */
  async probe(): Promise<void> {
    const isolation = { ...HELPER, policy: this.#config.policy };
    const box = this.#box(isolation, [], COMMAND);
    const argv = [...this.#config.programs.setsid, "--version"];
    const launch = this.#launch(argv, box, ["ignore", "ignore", "pipe"]);
    const { stderr } = launch.child;
    const said = stderr ? text(stderr) : "";
    try {
      await launch.open();
      const { code } = await launch.exited;
      if (code !== 0) throw new LaunchFailedError(`a program in it ended with ${code}`);
    } catch (error) {
      throw launchRefused(asError(error).message || (await said).trim());
    }
  }

  #runHelper(args: readonly string[], prepared: Prepared, journal: string | null): ChildProcess {
    const isolation = { ...HELPER, policy: { network: "off" as const } };
    const audience = { kind: "helper" as const, journal };
    const box = this.#box(isolation, prepared.writable, audience);
    const argv = [...this.#config.programs.helper, ...args];
    const launch = this.#launch(argv, box, ["pipe", "pipe", "pipe"]);
    void open(launch, prepared.unsteady).catch(() => {});
    void launch.exited.then(prepared.release);
    return launch.child;
  }

  #prepare({ write, protected_names }: EffectivePolicy["files"], bounds: Bounds): Prepared {
    if (write === "all") return { writable: "all", unsteady: [], release: () => {} };
    const files = { write, protected_names };
    const { places, ...rest } = guardRoots(files, bounds, this.#view, this.#standIns);
    return { writable: places, ...rest };
  }

  #box(
    command: Pick<SandboxedCommand, "cwd" | "variables" | "leavesChildren"> & {
      policy: Pick<EffectivePolicy, "network">;
    },
    writable: Writable,
    audience: Audience,
  ): Box {
    const { uid, gid, layout, environment_id } = this.#config;
    const options = bubblewrapArguments(mountPlan(this.#config, writable, audience), {
      network: command.policy.network,
      uid,
      gid,
      cwd: command.cwd,
      variables: command.variables,
      endsWithCommand: !command.leavesChildren,
      hostname: layout.kind === "host" ? environment_id : null,
    });
    return { options, network: this.#networkOf(command.policy, writable) };
  }

  /**
   * Without a toolbox the agent works on the machine that it was started on, in its network. Who may
   * write all of that machine may talk to all of it.
   */
  #networkOf({ network }: Pick<EffectivePolicy, "network">, writable: Writable): Network {
    if (network === "off") return "off";
    const { layout, toolbox } = this.#config;
    const isMachine = toolbox === null && writable !== "all";
    return layout.kind === "host" || isMachine ? "host" : "own";
  }

  #launchCommand({ argv, stdin }: SandboxedCommand, box: Box, terminal: Terminal | null): Launch {
    if (terminal === null) {
      return this.#launch(argv, box, [stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe"]);
    }
    const { slave } = terminal;
    const leading = [...this.#config.programs.setsid, "-c", ...argv];
    return this.#launch(leading, box, [slave, slave, slave]);
  }

  #launch(
    argv: readonly string[],
    { options, network }: Box,
    stdio: readonly [Stdio, Stdio, Stdio],
  ): Launch {
    const { groups, programs } = this.#config;
    const inherited = terminalDescriptors();
    const filter = this.#filters.open(network);
    const launcher = programs.bwrap;
    try {
      return launchSandbox({ launcher, options, argv, stdio, groups, filter, inherited });
    } finally {
      closeSync(filter);
    }
  }
}

function ownerFiles({ policy, workspace, home }: AgentConfig): RootFiles {
  const { write } = policy.files;
  const own = [workspace, home, "/tmp", ...(write === "all" ? [] : write)];
  return { write: own, protected_names: [] };
}

/** Nothing runs behind a wall that does not stand where it should. */
async function open(launch: Launch, unsteady: readonly Place[]): Promise<number> {
  const init = unsteady.length === 0 ? null : await launch.init;
  if (init !== null && !(await showsPlaces(init, unsteady))) {
    await launch.abandon();
    throw replaced(unsteady.map(({ path }) => path));
  }
  return launch.open();
}

function replaced(paths: readonly string[]): OutworkError {
  return new OutworkError(
    "policy-denied",
    `One of ${paths.join(", ")} was replaced while the sandbox was built, so nothing was run. Repeat the ` +
      "request when no other command moves them about.",
    { facts: { rule: "replaced-while-starting", paths } },
  );
}

import { chownSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Limits } from "../../contract/environment.ts";
import { OutworkError, systemCode } from "../../errors.ts";
import type { EnvironmentUser } from "./users.ts";

const ROOT = "/sys/fs/cgroup";
/** One period of the CPU controller, in microseconds: the kernel's default. */
const CPU_PERIOD_US = 100_000;
const CONTROLLERS = ["memory", "pids", "cpu"] as const;

/**
 * The control groups of one environment's commands: their limits, and a way to find all of them. Its
 * agent stays outside, so that it answers however many, big and busy they are.
 */
export class Cgroup {
  readonly #folder: string;
  /** Where commands are put: in version 1 one group for each controller. */
  readonly commandGroups: readonly string[];

  constructor(name: string) {
    this.#folder = join(ROOT, "outwork", name);
    this.commandGroups = isUnified()
      ? [join(this.#folder, "commands")]
      : CONTROLLERS.map((controller) => join(ROOT, controller, "outwork", name));
  }

  /** @throws `enforcement-missing` when a limit cannot be set here, by name */
  create(limits: Limits, { uid, gid }: EnvironmentUser): void {
    try {
      for (const folder of this.#all()) makeGroup(folder);
      for (const [file, value] of settings(limits)) this.#set(file, value);
      // The agent moves commands in: it needs to write where they go, and in version 2 above that.
      for (const folder of this.#all()) chownSync(join(folder, "cgroup.procs"), uid, gid);
    } catch (error) {
      throw limitsMissing(limits, error);
    }
  }

  /** Puts the agent where it may move commands from. Version 1 asks for no such place. */
  addAgent(pid: number): void {
    if (isUnified()) writeFileSync(join(this.#agentGroup, "cgroup.procs"), String(pid));
  }

  /** Kills what is left in them, then removes them. Never rejects: a group that is gone is removed. */
  async remove(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      for (const pid of this.#pids()) killQuietly(pid);
      if (this.#all().toReversed().every(removeGroup)) return;
      await sleep(5);
    }
  }

  get #agentGroup(): string {
    return join(this.#folder, "agent");
  }

  /** Outer groups first. */
  #all(): readonly string[] {
    const around = isUnified() ? [this.#folder, this.#agentGroup] : [];
    return [...around, ...this.commandGroups];
  }

  #pids(): number[] {
    const [folder] = this.commandGroups;
    if (!folder || !existsSync(folder)) return [];
    return readFileSync(join(folder, "cgroup.procs"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map(Number);
  }

  #set(file: string, value: string): void {
    const controller = file.split(".", 1)[0];
    const folder = this.commandGroups.find(
      (path) => isUnified() || path.includes(`/${controller}/`),
    );
    writeFileSync(join(folder ?? "", file), value);
  }
}

/** Version 2 has all controllers in one tree; version 1 a tree for each. @see cgroups(7) */
function isUnified(): boolean {
  return existsSync(join(ROOT, "cgroup.controllers"));
}

function makeGroup(folder: string): void {
  if (isUnified()) delegate(ROOT);
  mkdirSync(dirname(folder), { recursive: true });
  if (isUnified()) delegate(dirname(folder));
  mkdirSync(folder, { recursive: true });
}

function delegate(folder: string): void {
  const wanted = CONTROLLERS.map((controller) => `+${controller}`).join(" ");
  writeFileSync(join(folder, "cgroup.subtree_control"), wanted);
}

function settings({ memory_bytes, pids, cpus }: Limits): [string, string][] {
  const unified = isUnified();
  const quota = Math.round((cpus ?? 0) * CPU_PERIOD_US);
  const memory: [string, string][] =
    memory_bytes === undefined
      ? []
      : [
          [unified ? "memory.max" : "memory.limit_in_bytes", String(memory_bytes)],
          ...noSwap(memory_bytes),
        ];
  const cpu: [string, string][] =
    cpus === undefined
      ? []
      : unified
        ? [["cpu.max", `${quota} ${CPU_PERIOD_US}`]]
        : [["cpu.cfs_quota_us", String(quota)]];
  return [
    ...memory,
    ...(pids === undefined ? [] : [["pids.max", String(pids)] as [string, string]]),
    ...cpu,
  ];
}

/** Without this a limit on memory only moves the excess to disk. Kernels without swap lack the file. */
function noSwap(memoryBytes: number): [string, string][] {
  if (isUnified()) {
    return existsSync(join(ROOT, "outwork", "memory.swap.max")) ? [["memory.swap.max", "0"]] : [];
  }
  return existsSync(join(ROOT, "memory", "memory.memsw.limit_in_bytes"))
    ? [["memory.memsw.limit_in_bytes", String(memoryBytes)]]
    : [];
}

function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return systemCode(error) === "ENOENT";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function limitsMissing(limits: Limits, error: unknown): OutworkError {
  const names = Object.keys(limits).join(", ");
  return new OutworkError(
    "enforcement-missing",
    `The limits ${names} cannot be enforced here: control groups are not writable (${systemCode(error) ?? error}). ` +
      "Run the service as root, or leave the limits out.",
    { cause: error, facts: { missing: "cgroup", limits: Object.keys(limits) } },
  );
}

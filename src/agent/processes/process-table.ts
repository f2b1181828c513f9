import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type { AgentConfig, ResolvedStartProcess } from "../../contract/agent.ts";
import type { TerminalSize } from "../../contract/process.ts";
import { asError, OutworkError } from "../../errors.ts";
import { meet } from "../../policy/index.ts";
import type { Sandbox, Sandboxed } from "../sandbox/sandbox.ts";
import { sandboxVariables } from "../variables.ts";
import type { EnvironmentView } from "../view.ts";
import { AgentProcess } from "./agent-process.ts";
import { enforceDeadlines } from "./deadlines.ts";
import { checkStart } from "./lookup.ts";
import { Retention } from "./retention.ts";

/** Every process of the environment, running or still readable. */
export class ProcessTable {
  readonly #config: AgentConfig;
  readonly #view: EnvironmentView;
  readonly #sandbox: Sandbox;
  readonly #processes = new Map<string, { process: AgentProcess; start: ResolvedStartProcess }>();
  readonly #starting = new Map<
    string,
    { started: Promise<AgentProcess>; start: ResolvedStartProcess }
  >();
  readonly #retention = new Retention((processId) => this.#processes.delete(processId));

  constructor(config: AgentConfig, view: EnvironmentView, sandbox: Sandbox) {
    this.#config = config;
    this.#view = view;
    this.#sandbox = sandbox;
  }

  list(): readonly AgentProcess[] {
    return [...this.#processes.values()].map(({ process }) => process);
  }

  get liveCount(): number {
    return this.list().filter(({ live }) => live).length;
  }

  /** @throws `process-not-found`, or `process-gone` with the totals of an expired record */
  get(processId: string): AgentProcess {
    const found = this.#processes.get(processId);
    if (found) return found.process;
    throw this.#retention.missing(processId);
  }

  /**
   * Starts a process. The same id with the same request is the same process, however often and however
   * much at once it is asked for.
   * @throws `process-conflict` the id belongs to another request
   * @throws `start-failed` the program or its folder; the id stays free
   * @throws `enforcement-missing` the sandbox cannot be built
   */
  async start(start: ResolvedStartProcess): Promise<AgentProcess> {
    const processId = start.process_id ?? `proc_${randomBytes(8).toString("hex")}`;
    const known = this.#processes.get(processId) ?? this.#starting.get(processId);
    if (known) {
      if (!isDeepStrictEqual(known.start, start)) throw idTaken(processId);
      return "process" in known ? known.process : known.started;
    }
    const started = this.#launch(processId, start);
    this.#starting.set(processId, { started, start });
    try {
      const process = await started;
      this.#processes.set(processId, { process, start });
      this.#retention.track(process);
      return process;
    } finally {
      this.#starting.delete(processId);
    }
  }

  /** Ends everything; resolves when nothing is left. */
  async terminateAll(): Promise<void> {
    await Promise.all(
      this.list().map(async (process) => {
        process.terminate(0);
        while (!process.log.closed) await once(process.log, "append");
      }),
    );
  }

  async #launch(processId: string, start: ResolvedStartProcess): Promise<AgentProcess> {
    const policy = start.policy ? meet(this.#config.policy, start.policy) : this.#config.policy;
    const cwd = start.cwd ?? this.#config.workspace;
    const variables = sandboxVariables(this.#config, policy, start.variables);
    const { argv, stdin } = start;
    checkStart(this.#view, argv[0] ?? "", cwd, variables.PATH);
    const tty: TerminalSize | null = start.tty ?? null;
    const sandboxed = this.#sandbox.run({ argv, cwd, variables, policy, stdin, tty });
    await spawned(sandboxed);
    const description = {
      processId,
      argv,
      cwd,
      tty: tty !== null,
      policy,
      retainedBytes: start.retained_bytes,
      waitForReaders: start.back_pressure === "reader",
    };
    const process = new AgentProcess(description, sandboxed);
    enforceDeadlines(process, {
      timeoutMs: start.timeout_ms ?? null,
      quietTimeoutMs: start.quiet_timeout_ms ?? null,
    });
    return process;
  }
}

/** Nothing runs without its sandbox: a launcher that does not start is a refusal. */
async function spawned({ child, terminal, release }: Sandboxed): Promise<void> {
  if (child.pid !== undefined) return;
  try {
    await once(child, "spawn");
  } catch (error) {
    release();
    terminal?.release();
    terminal?.stream.destroy();
    throw launcherMissing(asError(error));
  }
}

function launcherMissing(cause: Error): OutworkError {
  return new OutworkError(
    "enforcement-missing",
    `The command was refused, because its sandbox could not be started: ${cause.message}.`,
    { cause, facts: { missing: "bubblewrap" } },
  );
}

function idTaken(processId: string): OutworkError {
  return new OutworkError(
    "process-conflict",
    `The process id ${processId} belongs to another start. Choose another id, or repeat the same request.`,
    { facts: { process_id: processId } },
  );
}

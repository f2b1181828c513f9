import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type { AgentConfig } from "../../contract/agent.ts";
import { OutworkError } from "../../errors.ts";
import { meet } from "../../policy/meet.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { sandboxVariables } from "../variables.ts";
import type { EnvironmentView } from "../view.ts";
import { AgentProcess } from "./agent-process.ts";
import { enforceDeadlines } from "./deadlines.ts";
import { checkStart } from "./lookup.ts";
import type { ProcessRequest } from "./process-request.ts";
import { Retention } from "./retention.ts";
import { Turnstile } from "./turnstile.ts";

/**
 * Sandboxes that are built at once. More would only be built more slowly, and while a thousand starts
 * are begun in one go nobody else is answered.
 */
const MAX_LAUNCHES = 16;

/** Every process of the environment, running or still readable. */
export class ProcessTable {
  readonly #config: AgentConfig;
  readonly #view: EnvironmentView;
  readonly #sandbox: Sandbox;
  readonly #processes = new Map<string, { process: AgentProcess; request: ProcessRequest }>();
  readonly #starting = new Map<
    string,
    { started: Promise<AgentProcess>; request: ProcessRequest }
  >();
  readonly #launches = new Turnstile(MAX_LAUNCHES);
  #isEnding = false;
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
  async start(request: ProcessRequest): Promise<AgentProcess> {
    const processId = request.processId ?? `proc_${randomBytes(8).toString("hex")}`;
    const known = this.#processes.get(processId) ?? this.#starting.get(processId);
    if (known) {
      if (!isDeepStrictEqual(known.request, request)) throw idTaken(processId);
      return "process" in known ? known.process : known.started;
    }
    const started = this.#launchInTurn(processId, request);
    this.#starting.set(processId, { started, request });
    try {
      const process = await started;
      this.#processes.set(processId, { process, request });
      this.#retention.track(process);
      return process;
    } finally {
      this.#starting.delete(processId);
    }
  }

  /** Ends everything, what is only starting included; resolves when nothing is left. */
  async terminateAll(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled([...this.#starting.values()].map(({ started }) => started));
    await Promise.all(
      this.list().map(async (process) => {
        process.terminate(0);
        while (!process.log.closed) await once(process.log, "append");
      }),
    );
  }

  async #launchInTurn(processId: string, request: ProcessRequest): Promise<AgentProcess> {
    const leave = await this.#launches.enter();
    try {
      if (this.#isEnding) throw ending();
      return await this.#launch(processId, request);
    } finally {
      leave();
    }
  }

  async #launch(processId: string, request: ProcessRequest): Promise<AgentProcess> {
    const { argv, stdin, tty, leavesChildren, retainedBytes, readers, deadlines } = request;
    const policy = request.policy ? meet(this.#config.policy, request.policy) : this.#config.policy;
    const cwd = request.cwd ?? this.#config.workspace;
    const variables = request.inherits
      ? sandboxVariables(this.#config, policy, request.variables)
      : request.variables;
    checkStart(this.#view, argv, cwd, variables);
    const command = { argv, cwd, variables, policy, stdin, tty, leavesChildren };
    const sandboxed = this.#sandbox.run(command);
    const description = { processId, argv, cwd, tty: tty !== null, policy, retainedBytes, readers };
    const process = new AgentProcess(description, sandboxed);
    await process.ready;
    enforceDeadlines(process, deadlines);
    return process;
  }
}

function ending(): OutworkError {
  return new OutworkError("agent-unreachable", "The environment is being removed.");
}

function idTaken(processId: string): OutworkError {
  return new OutworkError(
    "process-conflict",
    `The process id ${processId} belongs to another start. Choose another id, or repeat the same request.`,
    { facts: { process_id: processId } },
  );
}

import { randomUUID } from "node:crypto";
import type { AgentMethod, ParamsOf, ResultOf } from "../../src/contract/agent.ts";
import type { ArchiveResult } from "../../src/contract/archive.ts";
import type { Process, WriteStdinResult } from "../../src/contract/process.ts";
import type { ToolResult } from "../../src/contract/tools.ts";
import type { AgentLink } from "../../src/core/agent-link.ts";
import type { Placed } from "../../src/core/placement.ts";
import { type Entry, type NewEntry, packed, unpacked } from "./placement-archive.ts";
import { follow, patience, type Ran, readToEnd, run, type Start, startProcess } from "./run.ts";

/** A start without its argv. */
export type StartOptions = Omit<Start, "argv">;

/** A launched environment, in the words of tests. */
export class TestEnvironment implements AsyncDisposable {
  readonly placed: Placed;

  constructor(placed: Placed) {
    this.placed = placed;
  }

  get id(): string {
    return this.placed.spec.id;
  }

  get agent(): AgentLink {
    return this.placed.agent;
  }

  call<M extends AgentMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    return this.agent.call(method, params, patience());
  }

  start(argv: readonly string[], options: StartOptions = {}): Promise<Process> {
    return startProcess(this.agent, { argv: [...argv], ...options });
  }

  run(argv: readonly string[], options: StartOptions = {}): Promise<Ran> {
    return run(this.agent, { argv: [...argv], ...options });
  }

  /** Runs a script of the plain shell. */
  sh(script: string, options: StartOptions = {}): Promise<Ran> {
    return this.run(["/bin/sh", "-c", script], options);
  }

  /** Starts a script of the plain shell and leaves it running. */
  startSh(script: string, options: StartOptions = {}): Promise<Process> {
    return this.start(["/bin/sh", "-c", script], options);
  }

  readToEnd(process: Process): Promise<Ran> {
    return readToEnd(this.agent, process);
  }

  /** Writes to a process's standard input, each call once. */
  type({ process_id }: Process, text: string, end = false): Promise<WriteStdinResult> {
    const chunk = Buffer.from(text).toString("base64");
    const params = { process_id, write_id: randomUUID(), chunk, end };
    return this.call("outwork/process/stdin", params);
  }

  /** Waits until a running process has printed a line. */
  async firstLine({ process_id }: Process): Promise<string> {
    let printed = "";
    for await (const event of follow(this.agent, process_id)) {
      if (event.type === "output") printed += event.bytes.toString("utf8");
      if (printed.includes("\n")) break;
    }
    return printed.split("\n")[0] ?? "";
  }

  async list(): Promise<readonly Process[]> {
    return (await this.call("outwork/process/list", {})).processes;
  }

  async terminate({ process_id }: Process, graceMs = 0): Promise<boolean> {
    const params = { process_id, grace_ms: graceMs };
    return (await this.call("outwork/process/terminate", params)).delivered;
  }

  exec(args: ParamsOf<"outwork/exec_command">): Promise<ToolResult> {
    return this.call("outwork/exec_command", args);
  }

  write(args: ParamsOf<"outwork/write_stdin">): Promise<ToolResult> {
    return this.call("outwork/write_stdin", args);
  }

  /** Uploads files, as whoever owns the environment may. */
  put(path: string, entries: readonly NewEntry[]): Promise<ArchiveResult> {
    const source = packed(entries);
    return this.agent.write("outwork/archive/put", { path }, source, patience());
  }

  /** Downloads a folder. */
  async get(path: string): Promise<readonly Entry[]> {
    return unpacked(await this.agent.read("outwork/archive/get", { path }, patience()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.placed[Symbol.asyncDispose]();
  }
}

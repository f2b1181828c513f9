import { EventEmitter, once } from "node:events";
import {
  type EndCause,
  OutputEvent,
  type Process,
  type ProcessState,
  type SignalName,
  StartProcess,
  type StreamName,
  type TerminalSize,
  type WriteStdin,
  type WriteStdinResult,
} from "../../src/contract/process.ts";

/** A process that runs nothing: the test says what it prints and when it ends. */
export class FakeProcess {
  readonly start: ReturnType<typeof StartProcess.parse> & { process_id: string };
  readonly events: OutputEvent[] = [];
  readonly signals: SignalName[] = [];
  readonly sizes: TerminalSize[] = [];
  stdinEnded = false;
  terminated = false;
  /** Emits `event` for a new event and `input` for a change from outside. */
  readonly changes = new EventEmitter();
  readonly #stdin: Buffer[] = [];
  readonly #writeIds = new Set<string>();
  #state: ProcessState = { kind: "running" };
  #bytes = 0;

  constructor(start: FakeProcess["start"]) {
    this.start = start;
    this.changes.setMaxListeners(0);
  }

  get stdin(): string {
    return Buffer.concat(this.#stdin).toString();
  }

  get running(): boolean {
    return this.#state.kind === "running";
  }

  get closed(): boolean {
    return this.#state.kind === "closed";
  }

  print(text: string, stream: StreamName = this.start.tty ? "pty" : "stdout"): void {
    const chunk = Buffer.from(text);
    const offset = this.#bytes;
    this.#bytes += chunk.length;
    const seq = this.#next();
    this.#push({ type: "output", seq, stream, offset, chunk: chunk.toString("base64") });
  }

  /** The process ends; output may still follow. */
  exit(exitCode: number, cause: EndCause = "exited"): void {
    const exited_at = new Date(0).toISOString();
    this.#state = { kind: "exited", exit_code: exitCode, cause, exited_at };
    this.#push({ type: "exited", seq: this.#next(), exit_code: exitCode, cause });
  }

  /** The end of its output. */
  close(): void {
    if (this.#state.kind === "running") throw new Error("exit comes first");
    this.#state = { ...this.#state, kind: "closed" };
    this.#push({ type: "closed", seq: this.#next(), total_bytes: this.#bytes, dropped_bytes: 0 });
  }

  end(exitCode: number, cause: EndCause = "exited"): void {
    this.exit(exitCode, cause);
    this.close();
  }

  write({ write_id, chunk, end }: WriteStdin): WriteStdinResult {
    if (this.#writeIds.has(write_id)) return { status: "accepted" };
    if (this.stdinEnded || !this.running) return { status: "stdin-closed" };
    this.#writeIds.add(write_id);
    this.#stdin.push(Buffer.from(chunk, "base64"));
    this.stdinEnded = end;
    this.changes.emit("input");
    return { status: "accepted" };
  }

  signal(signal: SignalName): boolean {
    this.signals.push(signal);
    this.changes.emit("input");
    return this.running;
  }

  terminate(): boolean {
    const { running } = this;
    this.terminated = true;
    if (running) this.end(143, "terminated");
    return running;
  }

  resize(size: TerminalSize): boolean {
    this.sizes.push(size);
    this.changes.emit("input");
    return this.running;
  }

  async *after(seq: number, signal: AbortSignal): AsyncGenerator<OutputEvent> {
    for (let at = seq; ; ) {
      const event = this.events[at];
      if (event !== undefined) {
        at += 1;
        yield event;
      } else if (this.closed) return;
      else await once(this.changes, "event", { signal });
    }
  }

  listed(): Process {
    return {
      process_id: this.start.process_id,
      argv: this.start.argv,
      cwd: this.start.cwd ?? "/workspace",
      tty: this.start.tty !== undefined,
      started_at: new Date(0).toISOString(),
      state: this.#state,
      output: {
        next_seq: this.#next(),
        first_seq: 1,
        total_bytes: this.#bytes,
        dropped_bytes: 0,
      },
      policy: FAKE_POLICY,
    };
  }

  #next(): number {
    return this.events.length + 1;
  }

  #push(event: OutputEvent): void {
    this.events.push(OutputEvent.parse(event));
    this.changes.emit("event");
  }
}

export const FAKE_POLICY: Process["policy"] = {
  preset: "workspace-write",
  files: { write: ["/workspace", "/tmp"], protected_names: [".git"] },
  network: "off",
};

/** The start of a fake process, checked as the service would check it. */
export function fakeStart(body: unknown): FakeProcess["start"] {
  const start = StartProcess.parse(body);
  return { ...start, process_id: start.process_id ?? "proc_fake" };
}

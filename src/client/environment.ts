import { Readable } from "node:stream";
import { ArchiveResult } from "../contract/archive.ts";
import { Environment } from "../contract/environment.ts";
import { type ApplyPatchInput, type PatchPreview, PatchResult } from "../contract/patch.ts";
import { Process, ProcessList, type StartProcessInput } from "../contract/process.ts";
import { type ExecCommand, ToolResult, type WriteStdinTool } from "../contract/tools.ts";
import { type CallOptions, callSignal } from "./call-signal.ts";
import type { Exchange } from "./exchange.ts";
import { newId } from "./new-id.ts";
import { OwnErrors } from "./own-errors.ts";
import { previews } from "./previews.ts";
import { RemoteProcess } from "./process.ts";
import type { Transport } from "./transport.ts";

/** Longest wait for a tool's answer, in milliseconds: the longest yield time, and a minute. */
const TOOL_TIMEOUT_MS = 360_000;
const TAR = "application/x-tar";
const NDJSON = "application/x-ndjson";

/** What only a signal limits. */
export type StreamOptions = Pick<CallOptions, "signal">;

/** One environment by its id. Costs nothing until it is asked something. */
export class RemoteEnvironment {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.id = id;
    this.#transport = transport;
  }

  /** The environment as listings show it. */
  inspect(options: CallOptions = {}): Promise<Environment> {
    const call = { method: "GET", path: this.#path(""), repeat: "safe", ...options } as const;
    return this.#transport.json(call, Environment);
  }

  /**
   * The tool `exec_command`: runs a shell command, answers when it ends or its yield time is over.
   * @throws `tool-failed` the call failed; its message is the line a model reads
   * @throws `outcome-unknown` the answer was lost: a command is never sent twice
   */
  execCommand(args: ExecCommand, options: CallOptions = {}): Promise<ToolResult> {
    return this.#tool("exec_command", args, options);
  }

  /**
   * The tool `write_stdin`: writes to a session that `execCommand` left running, or polls it.
   * @throws `tool-failed` the call failed; its message is the line a model reads
   * @throws `outcome-unknown` the answer, and the output in it, was lost
   */
  writeStdin(args: WriteStdinTool, options: CallOptions = {}): Promise<ToolResult> {
    return this.#tool("write_stdin", args, options);
  }

  /**
   * The tool `apply_patch`: verifies the whole patch against the files, then writes. What it met is in
   * the result, whose `text` a model reads.
   * @throws `outcome-unknown` the answer was lost: a patch is never sent twice
   */
  applyPatch(patch: ApplyPatchInput, options: CallOptions = {}): Promise<PatchResult> {
    const path = this.#path("/apply_patch");
    const call = { method: "POST", path, json: patch, repeat: "once", ...options } as const;
    return this.#transport.json(call, PatchResult);
  }

  /**
   * What a patch asks for, while its text is still arriving: all of it so far, each time anew. Nothing
   * is checked or written.
   * @throws `service-unreachable` the connection broke
   * @throws whatever `text` throws
   */
  async *previewPatch(
    text: AsyncIterable<string>,
    { signal }: StreamOptions = {},
  ): AsyncGenerator<PatchPreview[]> {
    const source = new OwnErrors(text);
    const body = { type: "text/plain", content: Readable.from(source, { objectMode: false }) };
    const path = this.#path("/apply_patch/preview");
    const call = { method: "POST", path, body, repeat: "once", accept: NDJSON } as const;
    try {
      yield* previews(await this.#transport.stream({ ...call, signal: callSignal({ signal }) }));
    } catch (error) {
      throw source.failure === undefined ? error : source.failure.error;
    }
  }

  /**
   * Starts one program; no shell is added. Happens once even when the answer is lost, since a start
   * without a `process_id` is given one.
   * @throws `start-failed` there is no such program, folder, …
   * @throws `process-conflict` the process id is taken by another start
   */
  async start(start: StartProcessInput, options: CallOptions = {}): Promise<RemoteProcess> {
    const json = { process_id: newId("proc"), ...start };
    const call = { method: "POST", path: this.#path("/processes"), json, repeat: "safe" } as const;
    const { process_id } = await this.#transport.json({ ...call, ...options }, Process);
    return this.process(process_id);
  }

  /** A process that was started before. */
  process(id: string): RemoteProcess {
    return new RemoteProcess(this.#transport, this.id, id);
  }

  /** Every process that the environment still has a record of. */
  async processes(options: CallOptions = {}): Promise<Process[]> {
    const call = { method: "GET", path: this.#path("/processes"), repeat: "safe" } as const;
    return (await this.#transport.json({ ...call, ...options }, ProcessList)).processes;
  }

  /**
   * Unpacks a tar stream into a folder of the environment.
   * @throws `archive-refused` an entry is not safe to unpack
   * @throws `outcome-unknown` the connection broke: part of it may have been unpacked
   * @throws whatever `tar` throws
   */
  async upload(
    path: string,
    tar: AsyncIterable<Uint8Array>,
    { signal }: StreamOptions = {},
  ): Promise<ArchiveResult> {
    const source = new OwnErrors(tar);
    const body = { type: TAR, content: Readable.from(source, { objectMode: false }) };
    const sent = { ...this.#archive("PUT", path, signal), body, repeat: "once" } as const;
    try {
      return await this.#transport.upload(sent, ArchiveResult);
    } catch (error) {
      throw source.failure === undefined ? error : source.failure.error;
    }
  }

  /**
   * A folder or file of the environment as a tar stream.
   * @throws `path-not-found`, and from the stream `service-unreachable` when the connection breaks
   */
  download(path: string, { signal }: StreamOptions = {}): Promise<Readable> {
    return this.#transport.readable({ ...this.#archive("GET", path, signal), accept: TAR });
  }

  #tool(name: string, json: unknown, options: CallOptions): Promise<ToolResult> {
    const call = { method: "POST", path: this.#path(`/${name}`), json, repeat: "once" } as const;
    return this.#transport.json({ timeoutMs: TOOL_TIMEOUT_MS, ...call, ...options }, ToolResult);
  }

  #archive(method: "GET" | "PUT", path: string, signal: AbortSignal | undefined): Exchange {
    return {
      method,
      path: this.#path("/archive"),
      query: { path },
      repeat: "safe",
      signal: callSignal({ signal }),
    };
  }

  #path(rest: string): string {
    return `/v1/environments/${encodeURIComponent(this.id)}${rest}`;
  }
}

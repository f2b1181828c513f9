import { Duplex } from "node:stream";
import { deserialize, serialize } from "node:v8";
import { callFiles, openFile, watchMissing } from "../../exec-server/files/index.ts";
import type { OpenFile, Watch } from "../../exec-server/ports.ts";
import { internalError, RpcError, type WireError } from "../../exec-server/rpc-error.ts";
import { recoverPatches } from "../../patch/atomic/recover.ts";
import { NodeFiles } from "../../patch/files/node-files.ts";
import { runTool, type ToolAnswer } from "../../patch/tool.ts";
import { FrameStream } from "../../wire/frames.ts";
import type { FileOperation, FileReply, FileRequest, PatchRequest } from "./protocol.ts";

/**
 * Carries out file calls from stdin, answers on stdout, until stdin ends: nothing is done for an agent
 * that has given this helper up, and may have started another. Runs inside a sandbox.
 */
export async function serveFiles(): Promise<void> {
  const frames = new FrameStream(
    Duplex.from({ readable: process.stdin, writable: process.stdout }),
  );
  const desk = new FileDesk((reply) => void frames.send(serialize(reply)));
  try {
    for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
      void desk.answer(deserialize(frame.payload) as FileRequest);
    }
  } finally {
    process.exit(0);
  }
}

/** What one helper has open. */
class FileDesk {
  readonly #reply: (reply: FileReply) => void;
  readonly #files = new Map<number, OpenFile>();
  readonly #watches = new Map<number, Watch>();
  #lastNumber = 0;

  constructor(reply: (reply: FileReply) => void) {
    this.#reply = reply;
  }

  async answer({ id, operation }: FileRequest): Promise<void> {
    try {
      this.#reply({ id, result: await this.#carryOut(operation) });
    } catch (error) {
      this.#reply({ id, error: wireError(error) });
    }
  }

  async #carryOut(operation: FileOperation): Promise<unknown> {
    switch (operation.kind) {
      case "call":
        return callFiles(operation.method, operation.params);
      case "open":
        return this.#keep(this.#files, await openFile(operation.path, operation.mode));
      case "read":
        return this.#file(operation.file).read(operation);
      case "write":
        return this.#file(operation.file).write(operation.offset, operation.bytes);
      case "close":
        return this.#close(operation.file);
      case "patch":
        return applyHere(operation.patch);
      case "recover":
        return recoverPatches(new NodeFiles(), operation.journal);
      case "watch":
        return this.#watch(operation);
      case "unwatch":
        this.#watches.get(operation.watch)?.[Symbol.dispose]();
        this.#watches.delete(operation.watch);
    }
  }

  #keep<T>(kept: Map<number, T>, item: T): number {
    const number = ++this.#lastNumber;
    kept.set(number, item);
    return number;
  }

  #file(number: number): OpenFile {
    const file = this.#files.get(number);
    if (!file) throw internalError("the file is not open");
    return file;
  }

  async #close(number: number): Promise<void> {
    const file = this.#file(number);
    this.#files.delete(number);
    await file[Symbol.asyncDispose]();
  }

  async #watch({ paths }: Extract<FileOperation, { kind: "watch" }>): Promise<number | null> {
    const watch = await watchMissing(paths);
    if (watch === null) return null;
    const number = this.#keep(this.#watches, watch);
    void watch.changed.then(() => this.#reply({ changed: number }));
    return number;
  }
}

/** On the files of this very process: whatever confines it confines the patch. */
function applyHere({ text, ...context }: PatchRequest): Promise<ToolAnswer> {
  return runTool(text, { files: new NodeFiles(), ...context });
}

function wireError(error: unknown): WireError {
  if (error instanceof RpcError) return error.toWire();
  return internalError(error instanceof Error ? error.message : String(error)).toWire();
}

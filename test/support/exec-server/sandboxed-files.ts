import { type ChildProcess, spawn } from "node:child_process";
import { execPath } from "node:process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { EffectivePolicy } from "../../../src/contract/policy.ts";
import { watchMissing } from "../../../src/exec-server/files/index.ts";
import type { FileMethod, FileResult, Files, OpenFile } from "../../../src/exec-server/ports.ts";
import { RpcError, type WireError } from "../../../src/exec-server/rpc-error.ts";
import { argumentsFor } from "./confine.ts";
import type { HelperRequest } from "./files-helper.ts";
import { readFramed, writeFramed } from "./framed.ts";

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: WireError;
}

/** File calls in one helper process per policy, inside bubblewrap. */
export class SandboxedFiles implements Files, Disposable {
  readonly #helpers = new Map<string, Helper>();

  async call<M extends FileMethod>(
    method: M,
    params: object,
    { policy }: { policy: EffectivePolicy },
  ): Promise<FileResult<M>> {
    const request = { verb: "call", method, params } as HelperRequest;
    return (await this.#helper(policy).ask(request)) as FileResult<M>;
  }

  async open(
    { path, mode }: Parameters<Files["open"]>[0],
    { policy }: { policy: EffectivePolicy },
  ): Promise<OpenFile> {
    const helper = this.#helper(policy);
    const handle = (await helper.ask({ verb: "open", path, mode })) as number;
    return {
      read: async (range) => (await helper.ask({ verb: "read", handle, ...range })) as Uint8Array,
      write: async (offset, bytes) =>
        void (await helper.ask({ verb: "write", handle, offset, bytes })),
      [Symbol.asyncDispose]: async () => void (await helper.ask({ verb: "close", handle })),
    };
  }

  watchMissing: Files["watchMissing"] = (paths) => watchMissing(paths);

  [Symbol.dispose](): void {
    for (const helper of this.#helpers.values()) helper[Symbol.dispose]();
  }

  #helper(policy: EffectivePolicy): Helper {
    const key = JSON.stringify(policy);
    const helper = this.#helpers.get(key) ?? new Helper(policy);
    this.#helpers.set(key, helper);
    return helper;
  }
}

class Helper implements Disposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #nextId = 1;

  constructor(policy: EffectivePolicy) {
    const program = fileURLToPath(new URL("./files-helper.js", import.meta.url));
    const argv = [...argumentsFor(policy), "--", execPath, program];
    this.#child = spawn("/usr/bin/bwrap", argv, { stdio: ["pipe", "pipe", "inherit"], env: {} });
    void this.#read(this.#child.stdout as Readable);
  }

  async ask(request: HelperRequest): Promise<unknown> {
    const id = this.#nextId++;
    writeFramed(this.#child.stdin as Writable, { id, request });
    const { result, error } = await new Promise<Answer>((resolve) =>
      this.#waiting.set(id, resolve),
    );
    if (error !== undefined) throw RpcError.fromWire(error);
    return result;
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }

  async #read(output: Readable): Promise<void> {
    for await (const message of readFramed(output)) {
      const answer = message as Answer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    }
  }
}

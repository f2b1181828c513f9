import type { WriteStdin, WriteStdinResult } from "../contract/process.ts";
import type { CallOptions } from "./call-signal.ts";
import { newId } from "./new-id.ts";

/** Bytes of one write request; longer writes are split. */
const MAX_WRITE_BYTES = 262_144;

/** Whether the bytes reached the process's stdin, or found it closed. */
export type StdinStatus = WriteStdinResult["status"];

type SendWrite = (write: WriteStdin, options: CallOptions) => Promise<WriteStdinResult>;

/** The stdin of one process: writes go out one after another, each under an id of its own. */
export class Stdin {
  readonly #send: SendWrite;
  #last: Promise<unknown> = Promise.resolve();

  constructor(send: SendWrite) {
    this.#send = send;
  }

  write(bytes: Uint8Array | string, options: CallOptions): Promise<StdinStatus> {
    const all = Buffer.from(bytes);
    return this.#afterOthers(async () => {
      for (let from = 0; from < all.length; from += MAX_WRITE_BYTES) {
        const chunk = all.subarray(from, from + MAX_WRITE_BYTES);
        if ((await this.#sent(chunk, false, options)) === "stdin-closed") return "stdin-closed";
      }
      return "accepted";
    });
  }

  end(options: CallOptions): Promise<StdinStatus> {
    return this.#afterOthers(() => this.#sent(Buffer.alloc(0), true, options));
  }

  #afterOthers(write: () => Promise<StdinStatus>): Promise<StdinStatus> {
    const result = this.#last.then(write);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #sent(chunk: Buffer, end: boolean, options: CallOptions): Promise<StdinStatus> {
    const write = { write_id: newId("write"), chunk: chunk.toString("base64"), end };
    return (await this.#send(write, options)).status;
  }
}

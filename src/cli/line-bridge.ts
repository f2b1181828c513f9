import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { WebSocket } from "ws";
import { asError, OutworkError } from "../errors.ts";
import { linesOf } from "../exec-server/transport/lines.ts";
import { write } from "./write.ts";

/** One message from the service; twice what the protocol allows, which the agent words better. */
const MAX_MESSAGE_BYTES = 134_217_728;
/** @see RFC 6455 §7.4.1 */
const NORMAL = 1000;
const LINE_END = Buffer.from("\n");

/** How a bridge ended: because its input did, or because the service went away. */
export type BridgeEnd =
  | { readonly by: "stdin" }
  | { readonly by: "service"; readonly code: number; readonly reason: string };

/** Lines on two streams, messages on a WebSocket. Each side waits for the other. */
export class LineBridge {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    // A broken connection shows as its close, with a code.
    socket.on("error", () => {});
    socket.pause();
  }

  /** @throws `service-unreachable` the connection is refused */
  static async open(url: URL, token: string | undefined): Promise<LineBridge> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = { headers, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES };
    const socket = new WebSocket(url, options);
    try {
      await once(socket, "open");
    } catch (error) {
      const message = `${url.href} cannot be reached: ${asError(error).message}`;
      throw new OutworkError("service-unreachable", message, { cause: error });
    }
    return new LineBridge(socket);
  }

  /** Passes lines on until either side ends. Rejects when stdout cannot be written. */
  async run(input: Readable, output: Writable): Promise<BridgeEnd> {
    const closed = new Promise<BridgeEnd>((resolve) => {
      this.#socket.once("close", (code, reason) => {
        resolve({ by: "service", code, reason: reason.toString() });
      });
    });
    const down = this.#passDown(output);
    const up = this.#passUp(input, closed);
    try {
      const end = await Promise.race([closed, down.failed, up]);
      if (end.by === "stdin") {
        this.#socket.close(NORMAL);
        await closed;
      }
      await down.written();
      return end;
    } finally {
      this.#socket.terminate();
      input.destroy();
    }
  }

  /** Resolves at the end of the input, once all of it is sent; `closed` tells of a lost connection. */
  async #passUp(input: Readable, closed: Promise<BridgeEnd>): Promise<BridgeEnd> {
    for await (const line of linesOf(input)) {
      if (line.length > 0) await this.#send(line);
      if (this.#socket.readyState !== WebSocket.OPEN) return closed;
    }
    return { by: "stdin" };
  }

  /** Resolves when the kernel has the line. A socket that fails tells of it by closing. */
  #send(line: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.send(line, { binary: false }, () => resolve());
    });
  }

  #passDown(output: Writable): { failed: Promise<never>; written: () => Promise<void> } {
    let last: Promise<void> = Promise.resolve();
    const failed = new Promise<never>((_, reject) => {
      this.#socket.on("message", (message: Buffer) => {
        this.#socket.pause();
        last = write(output, Buffer.concat([message, LINE_END]));
        last.then(() => this.#socket.resume(), reject);
      });
    });
    this.#socket.resume();
    return { failed, written: () => last };
  }
}

import { isUtf8 } from "node:buffer";
import type { Readable, Writable } from "node:stream";
import type { ExecServer } from "../server.ts";
import { LineTooLongError, linesOf } from "./lines.ts";
import type { Transport } from "./transport.ts";
import { Valve } from "./valve.ts";

interface Stdio {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves one client over two streams, one JSON object a line. Resolves when the input has ended, a
 * line could not be read, or the client broke the protocol; what was answered has been written then.
 * Its session cannot be resumed: whoever serves nobody else disposes the server next.
 */
export async function serveStdio(server: ExecServer, { input, output }: Stdio): Promise<void> {
  const transport = new StdioTransport({ input, output }, () => connection?.drained());
  const connection = server.connect(transport, null);
  if (connection === null) return;
  try {
    for await (const line of linesOf(input)) {
      if (transport.valve.opened !== null) await transport.valve.opened;
      if (transport.closed || !isUtf8(line)) break;
      const text = line.toString("utf8").replace(/\r$/, "");
      if (text.trim() !== "") connection.receive(text, line.length);
    }
  } catch (error) {
    if (!(error instanceof LineTooLongError) && !transport.closed) throw error;
  } finally {
    server.disconnect(connection);
    await transport.flushed();
  }
}

class StdioTransport implements Transport {
  readonly name = "JSON-RPC message from exec-server stdio";
  readonly #streams: Stdio;
  readonly #onDrained: () => void;
  readonly valve = new Valve();
  closed = false;

  constructor(streams: Stdio, onDrained: () => void) {
    this.#streams = streams;
    this.#onDrained = onDrained;
    streams.output.on("error", () => this.close());
  }

  get pendingBytes(): number {
    return this.#streams.output.writableLength;
  }

  send(message: Uint8Array): void {
    this.#streams.output.write(Buffer.concat([message, Buffer.from("\n")]), this.#onDrained);
  }

  /** There is no close frame: the client sees the end of the stream. */
  close(): void {
    this.closed = true;
    this.valve.open();
    this.#streams.input.destroy();
  }

  /** Reading is a loop, which only reads on when it has done with the line before. */
  pause(): void {
    this.valve.close();
  }

  resume(): void {
    this.valve.open();
  }

  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#streams.output.destroyed) resolve();
      else this.#streams.output.write("", () => resolve());
    });
  }
}

import type { ExecServerPeer } from "../../contract/agent.ts";
import type { ExecServer } from "../../exec-server/server.ts";
import type { CloseCode, Transport } from "../../exec-server/transport/transport.ts";
import type { FrameStream } from "../../wire/frames.ts";

/** Serves the protocol on a connection of the service, until either side is gone. */
export async function serveChannel(
  server: ExecServer,
  peer: ExecServerPeer,
  frames: FrameStream,
): Promise<void> {
  const transport = new ChannelTransport(frames, peer.name, () => connection?.drained());
  const connection = server.connect(transport, peer.principal);
  if (connection === null) return frames.end();
  try {
    for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
      connection.receive(frame.payload.toString("utf8"), frame.payload.length);
      await transport.flowing;
    }
  } finally {
    server.disconnect(connection);
  }
}

/** Messages are binary frames; the one text frame is the wish to close. */
class ChannelTransport implements Transport {
  readonly name: string;
  readonly #frames: FrameStream;
  readonly #onDrained: () => void;
  /** Settles when the next message may be read. */
  flowing: Promise<void> = Promise.resolve();
  #resume = () => {};

  constructor(frames: FrameStream, peerName: string, onDrained: () => void) {
    this.name = `websocket JSON-RPC message from exec-server websocket ${peerName}`;
    this.#frames = frames;
    this.#onDrained = onDrained;
  }

  get pendingBytes(): number {
    return this.#frames.pendingBytes;
  }

  send(message: Uint8Array): void {
    // A stream that is gone shows in the reading loop, which ends the connection.
    this.#frames.send(message).then(this.#onDrained, () => {});
  }

  close(code: CloseCode, reason: string): void {
    const closing = this.#frames.send(JSON.stringify({ code, reason }));
    closing.then(() => this.#frames.end()).catch(() => this.#frames.destroy());
  }

  pause(): void {
    this.flowing = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume();
  }
}

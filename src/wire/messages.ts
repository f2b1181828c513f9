import type { WebSocket } from "ws";

/** Bytes that may wait in a socket before its sender waits too. */
const HIGH_WATER_BYTES = 1_048_576;
/** Messages that may wait for a slow consumer before the socket is paused. */
const QUEUED_MESSAGES = 16;

/** One message as it came. */
export interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** A stream of messages ended before its sender had said so. */
export class BrokenStreamError extends Error {
  override readonly name = "BrokenStreamError";
}

/** Normal end of a stream. @see RFC 6455 §7.4.1 */
export const CLOSE_NORMAL = 1000;

/** Sends one message and waits while the socket holds too much. */
export async function send(socket: WebSocket, data: string | Uint8Array): Promise<void> {
  const sent = new Promise<void>((resolve, reject) => {
    socket.send(data, { binary: typeof data !== "string" }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
  if (socket.bufferedAmount < HIGH_WATER_BYTES) {
    // A failure shows when the socket closes; nobody waits for this message.
    sent.catch(() => {});
    return;
  }
  await sent;
}

/**
 * The messages of a socket, one at a time; the socket is paused while they queue. Ends when the peer
 * closes normally. Must be called before the first message can arrive.
 * @throws {BrokenStreamError} on any other end
 */
export function messages(socket: WebSocket): AsyncGenerator<Message> {
  const queue: Message[] = [];
  let ended: { code: number } | null = null;
  let wake = () => {};
  socket.on("message", (data, isBinary) => {
    queue.push({ data: asBuffer(data), isBinary });
    if (queue.length >= QUEUED_MESSAGES) socket.pause();
    wake();
  });
  socket.on("close", (code) => {
    ended = { code };
    wake();
  });
  socket.on("error", () => wake());
  return consume();

  async function* consume(): AsyncGenerator<Message> {
    for (;;) {
      const message = queue.shift();
      if (message) {
        yield message;
        if (queue.length === 0 && socket.isPaused) socket.resume();
      } else if (ended) {
        if (ended.code === CLOSE_NORMAL) return;
        throw new BrokenStreamError(`the stream broke off (close code ${ended.code})`);
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
}

function asBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

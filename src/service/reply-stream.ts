import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { asError } from "../errors.ts";

/** Enough to keep a socket busy while the next piece is fetched. */
const READ_AHEAD_BYTES = 262_144;
const HEARTBEAT = "\n";

interface ReplyStreamOptions {
  /** Silence after which an empty line is sent; one is sent at the beginning too. Omitted: none. */
  readonly heartbeatMs?: number;
}

/**
 * A reply body that pulls: nothing is asked of `source` before the client has taken what it has got.
 * Destroying it leaves the source.
 */
export function replyStream(
  source: AsyncIterable<Uint8Array | string>,
  { heartbeatMs }: ReplyStreamOptions = {},
): Readable {
  const pieces = source[Symbol.asyncIterator]();
  let pulling = false;
  let heartbeat: NodeJS.Timeout | undefined;

  const pull = async () => {
    pulling = true;
    try {
      const { done, value } = await pieces.next();
      pulling = false;
      heartbeat?.refresh();
      stream.push(done ? null : value);
    } catch (error) {
      stream.destroy(asError(error));
    }
  };
  const stream = new Readable({
    highWaterMark: READ_AHEAD_BYTES,
    read() {
      if (!pulling) void pull();
    },
    destroy(error, done) {
      clearInterval(heartbeat);
      Promise.resolve(pieces.return?.()).then(() => done(error), done);
    },
  });
  if (heartbeatMs !== undefined) {
    stream.push(HEARTBEAT);
    // Only while a piece is awaited: otherwise it is the client that is slow.
    heartbeat = setInterval(() => pulling && stream.push(HEARTBEAT), heartbeatMs);
  }
  return stream;
}

/** Answers with a stream. Its type is not one that response schemas can describe. */
export function sendStream(reply: FastifyReply, type: string, stream: Readable): FastifyReply {
  return reply.type(type).send(stream);
}

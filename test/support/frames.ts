import type { FrameStream } from "../../src/placements/docker/frames.ts";

/** One frame of an engine's multiplexed stream. */
export function frame(stream: FrameStream, bytes: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream === "stdout" ? 1 : 2, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

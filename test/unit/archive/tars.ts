import { pack } from "tar-stream";

/** An entry as tests write it: tar-stream's header and a content. */
export type Entry = Parameters<ReturnType<typeof pack>["entry"]>[0] & { content?: string | Buffer };

/** A whole tar of these entries, by tar-stream. */
export async function tarOf(...entries: Entry[]): Promise<Buffer> {
  const packer = pack();
  for (const { content = "", ...header } of entries) packer.entry(header, content);
  packer.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** These bytes as a stream, in pieces of at most `bytes`. */
export async function* pieces(content: Buffer, bytes = 65_536): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += bytes) {
    yield content.subarray(start, start + bytes);
  }
}

/** Writes the sum that a changed header needs to stay one. */
export function withChecksum(header: Buffer): void {
  header.write("        ", 148);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
}

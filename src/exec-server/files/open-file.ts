import type { FileHandle } from "node:fs/promises";
import { errnoError, fileError } from "../file-error.ts";
import type { PathUri } from "../path-uri.ts";
import type { FileMode, OpenFile } from "../ports.ts";
import { writeAll } from "./content.ts";
import { pathOf } from "./native.ts";
import { openToRead, openToWrite } from "./regular.ts";

/** No file reaches this far, and Node's positions end here. */
const MAX_POSITION = BigInt(Number.MAX_SAFE_INTEGER);

/** Opens a regular file for positional reads, or creates or empties one for positional writes. */
export async function openFile(path: PathUri, mode: FileMode): Promise<OpenFile> {
  try {
    const native = pathOf(path);
    const { handle } =
      mode === "read"
        ? await openToRead(native, true)
        : await openToWrite(native, { followSymlinks: true, empty: true });
    return new NodeOpenFile(handle);
  } catch (error) {
    throw fileError(error);
  }
}

class NodeOpenFile implements OpenFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async read({ offset, length }: { offset: bigint; length: number }): Promise<Uint8Array> {
    if (offset > MAX_POSITION) return new Uint8Array();
    const buffer = Buffer.alloc(length);
    try {
      return buffer.subarray(0, await this.#fill(buffer, Number(offset)));
    } catch (error) {
      throw fileError(error);
    }
  }

  async write(offset: bigint, bytes: Uint8Array): Promise<void> {
    if (offset > MAX_POSITION) throw errnoError("EFBIG");
    try {
      await writeAll(this.#handle, bytes, Number(offset));
    } catch (error) {
      throw fileError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  /** One read may give less than there is. */
  async #fill(buffer: Buffer, position: number): Promise<number> {
    let filled = 0;
    while (filled < buffer.length) {
      const rest = buffer.length - filled;
      const { bytesRead } = await this.#handle.read(buffer, filled, rest, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }
}

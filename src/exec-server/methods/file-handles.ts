import { errnoError } from "../file-error.ts";
import { MAX_BLOCK_BYTES, MAX_FILE_HANDLES, MAX_HANDLE_ID_BYTES } from "../limits.ts";
import type { FileMode, OpenFile } from "../ports.ts";
import { invalidRequest, notFound } from "../rpc-error.ts";

const MAX_OFFSET = 2n ** 63n - 1n;

interface Handle {
  readonly mode: FileMode;
  readonly file: OpenFile;
}

/** The open files of one connection, by the ids that its client chose. They end with it. */
export class FileHandles {
  readonly #handles = new Map<string, Handle>();
  /** Ids taken by calls that have not opened their file yet. */
  readonly #opening = new Set<string>();
  #disposed = false;

  async open(id: string, mode: FileMode, open: () => Promise<OpenFile>): Promise<void> {
    this.#take(id);
    try {
      await this.#keep(id, { mode, file: await open() });
    } finally {
      this.#opening.delete(id);
    }
  }

  /** `eof` tells that fewer bytes came than were asked for, and nothing else. */
  async read(
    id: string,
    offset: bigint,
    length: number,
  ): Promise<{ chunk: Uint8Array; eof: boolean }> {
    checkId(id);
    if (length < 1 || length > MAX_BLOCK_BYTES) throw lengthError("read");
    const chunk = await this.#use(id, ({ mode, file }) => {
      if (mode !== "read") throw errnoError("EBADF");
      if (offset > MAX_OFFSET - BigInt(length)) throw errnoError("EINVAL");
      return file.read({ offset, length });
    });
    return { chunk, eof: chunk.length < length };
  }

  async write(id: string, offset: bigint, bytes: Uint8Array): Promise<void> {
    checkId(id);
    if (bytes.length < 1 || bytes.length > MAX_BLOCK_BYTES) throw lengthError("write");
    if (offset > MAX_OFFSET - BigInt(bytes.length)) {
      throw invalidRequest("file write range exceeds the signed 64-bit file offset limit");
    }
    if (this.#get(id).mode === "read") throw errnoError("EBADF");
    await this.#use(id, ({ file }) => file.write(offset, bytes));
  }

  async close(id: string): Promise<void> {
    checkId(id);
    const handle = this.#handles.get(id);
    this.#handles.delete(id);
    await handle?.file[Symbol.asyncDispose]();
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const files = Array.from(this.#handles.values(), ({ file }) => file);
    this.#handles.clear();
    await Promise.allSettled(files.map((file) => file[Symbol.asyncDispose]()));
  }

  #take(id: string): void {
    checkId(id);
    if (this.#handles.has(id) || this.#opening.has(id)) {
      throw invalidRequest(`file handle \`${id}\` already exists`);
    }
    if (this.#handles.size + this.#opening.size >= MAX_FILE_HANDLES) {
      throw invalidRequest(`at most ${MAX_FILE_HANDLES} file handles may be open per connection`);
    }
    this.#opening.add(id);
  }

  async #keep(id: string, handle: Handle): Promise<void> {
    if (this.#disposed) await handle.file[Symbol.asyncDispose]();
    else this.#handles.set(id, handle);
  }

  /** What a file could not do once it will not do again: a failure closes it. */
  async #use<T>(id: string, work: (handle: Handle) => Promise<T>): Promise<T> {
    const handle = this.#get(id);
    try {
      return await work(handle);
    } catch (error) {
      await this.close(id);
      throw error;
    }
  }

  #get(id: string): Handle {
    const handle = this.#handles.get(id);
    if (handle === undefined) throw notFound(`unknown file handle \`${id}\``);
    return handle;
  }
}

function checkId(id: string): void {
  if (Buffer.byteLength(id) <= MAX_HANDLE_ID_BYTES) return;
  throw invalidRequest(`file handle ID must not exceed ${MAX_HANDLE_ID_BYTES} bytes`);
}

function lengthError(verb: "read" | "write"): Error {
  return invalidRequest(`file ${verb} block length must be between 1 and ${MAX_BLOCK_BYTES}`);
}

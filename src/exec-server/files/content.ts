import type { FileHandle } from "node:fs/promises";
import { MAX_READ_FILE_BYTES } from "../limits.ts";
import type { FileParams, FileResult } from "../ports.ts";
import { invalidRequest } from "../rpc-error.ts";
import { pathOf } from "./native.ts";
import { openToRead, openToWrite } from "./regular.ts";

export async function readFile({
  path,
  followSymlinks,
}: FileParams<"fs/readFile">): Promise<FileResult<"fs/readFile">> {
  const { handle, stats } = await openToRead(pathOf(path), followSymlinks);
  try {
    if (stats.size > MAX_READ_FILE_BYTES) throw tooLarge();
    return { data: await readAll(handle, stats.size) };
  } finally {
    await handle.close();
  }
}

/** In place, as an editor would: mode, links and owner stay. */
export async function writeFile({
  path,
  data,
  followSymlinks,
}: FileParams<"fs/writeFile">): Promise<FileResult<"fs/writeFile">> {
  const { handle } = await openToWrite(pathOf(path), { followSymlinks, empty: true });
  try {
    await writeAll(handle, data, null);
    return {};
  } finally {
    await handle.close();
  }
}

/** Reads to the end, which need not be where the size said. */
async function readAll(handle: FileHandle, expectedBytes: number): Promise<Uint8Array> {
  let buffer = Buffer.alloc(expectedBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length > MAX_READ_FILE_BYTES) throw tooLarge();
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(growth(length))]);
  }
}

function growth(length: number): number {
  return Math.min(Math.max(length, 65_536), MAX_READ_FILE_BYTES + 1 - length);
}

/** From `position` on; null: wherever the handle is. */
export async function writeAll(
  handle: FileHandle,
  data: Uint8Array,
  position: number | null,
): Promise<void> {
  let written = 0;
  while (written < data.length) {
    const at = position === null ? null : position + written;
    const { bytesWritten } = await handle.write(data, written, data.length - written, at);
    written += bytesWritten;
  }
}

function tooLarge(): Error {
  const limit = `limit is ${MAX_READ_FILE_BYTES} bytes`;
  return invalidRequest(`file is too large to read: ${limit}; fs/open reads it in blocks`);
}

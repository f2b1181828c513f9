import type { FileHandle } from "node:fs/promises";
import type { ByteText } from "./byte-text.ts";
import { unlessGone } from "./gone.ts";
import { encodeHeader, padding } from "./header.ts";
import { explained, refused } from "./refusal.ts";
import type { Found } from "./walk.ts";

const READ_BYTES = 262_144;
/** Permissions and the sticky bit: the rights of an owner who is not named mean nothing elsewhere. */
const KEPT_MODE = 0o1777;

/** The entry of what a walk found; nothing for what has no content. */
export async function* packFound(found: Found): AsyncGenerator<Buffer> {
  const { stats, path } = found;
  try {
    if (stats.isDirectory()) yield folderEntry(found);
    else if (stats.isSymbolicLink()) yield* symlinkEntry(found);
    else if (stats.isFile()) yield* fileEntry(found);
  } catch (error) {
    throw explained(error, path);
  }
}

function folderEntry({ path, stats }: Found): Buffer {
  return encodeHeader({
    name: `${path}/`,
    type: "directory",
    linkname: "",
    mode: stats.mode & KEPT_MODE,
    size: 0,
    mtimeSeconds: stats.mtimeMs / 1000,
  });
}

async function* symlinkEntry({ folder, name, path, stats }: Found): AsyncGenerator<Buffer> {
  const linkname = await unlessGone(folder.readSymlink(name));
  if (linkname === null) return;
  yield encodeHeader({
    name: path,
    type: "symlink",
    linkname,
    mode: 0o777,
    size: 0,
    mtimeSeconds: stats.mtimeMs / 1000,
  });
}

async function* fileEntry({ folder, name, path }: Found): AsyncGenerator<Buffer> {
  const file = await unlessGone(folder.openFile(name));
  if (file === null) return;
  try {
    yield* packFile(file, path);
  } finally {
    await file.close();
  }
}

/** The entry of an open file, at the size it has now; nothing if it is no regular file. */
export async function* packFile(file: FileHandle, name: ByteText): AsyncGenerator<Buffer> {
  const stats = await file.stat();
  if (!stats.isFile()) return;
  const { size } = stats;
  yield encodeHeader({
    name,
    type: "file",
    linkname: "",
    mode: stats.mode & KEPT_MODE,
    size,
    mtimeSeconds: stats.mtimeMs / 1000,
  });
  yield* content(file, name, size);
  const rest = padding(size);
  if (rest.length > 0) yield rest;
}

async function* content(file: FileHandle, name: ByteText, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    const wanted = Math.min(READ_BYTES, size - position);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    if (bytesRead === 0) throw refused(name, "shrank");
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

import { type FileHandle, open } from "node:fs/promises";

const MAGIC = 0x7f454c46;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const HEADER_BYTES = 64;
const PT_INTERP = 3;

/**
 * The loader that a program asks for; null for a static program or a library.
 * @see elf(5): the program header of type PT_INTERP
 */
export async function interpreterOf(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const header = await bytesAt(file, 0, HEADER_BYTES);
    if (!isElf64(header)) throw new Error(`${path} is not a 64-bit little-endian ELF file`);
    const entryBytes = header.readUInt16LE(54);
    const table = await bytesAt(
      file,
      Number(header.readBigUInt64LE(32)),
      entryBytes * header.readUInt16LE(56),
    );
    const entry = programHeaders(table, entryBytes).find(
      (each) => each.readUInt32LE(0) === PT_INTERP,
    );
    return entry === undefined ? null : await textAt(file, entry);
  } finally {
    await file.close();
  }
}

function isElf64(header: Buffer): boolean {
  return header.readUInt32BE(0) === MAGIC && header[4] === CLASS_64 && header[5] === LITTLE_ENDIAN;
}

function programHeaders(table: Buffer, entryBytes: number): Buffer[] {
  const count = entryBytes === 0 ? 0 : Math.floor(table.length / entryBytes);
  return Array.from({ length: count }, (_, index) =>
    table.subarray(index * entryBytes, (index + 1) * entryBytes),
  );
}

async function textAt(file: FileHandle, entry: Buffer): Promise<string> {
  const offset = Number(entry.readBigUInt64LE(8));
  const bytes = Number(entry.readBigUInt64LE(32));
  const text = await bytesAt(file, offset, bytes);
  return text.toString("utf8").replace(/\0+$/, "");
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error("the ELF file ends too early");
  return buffer;
}

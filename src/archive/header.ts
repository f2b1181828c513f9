import { type ByteText, bytesOf } from "./byte-text.ts";

/**
 * The header of a tar entry in GNU's format, which every reader knows. It keeps names that are not
 * UTF-8, any length and size, and mode 0; tar-stream's packer does not, and holds all headers of a
 * tree in memory when nobody reads.
 * @see tar(5), "GNU tar Archives"
 */
export const BLOCK_BYTES = 512;
export const END_MARK = Buffer.alloc(2 * BLOCK_BYTES);

const NAME_BYTES = 100;
const LONG_NAME = "././@LongLink";

const TYPE_FLAGS = {
  file: "0",
  symlink: "2",
  directory: "5",
  "long-link": "K",
  "long-name": "L",
} as const;

export type TarHeader = {
  readonly name: ByteText;
  readonly type: keyof typeof TYPE_FLAGS;
  /** Of a symbolic link; empty otherwise. */
  readonly linkname: ByteText;
  readonly mode: number;
  /** Bytes of content that follow, padded to a block. */
  readonly size: number;
  readonly mtimeSeconds: number;
};

/** The blocks that announce an entry. */
export function encodeHeader(header: TarHeader): Buffer {
  return Buffer.concat([
    longText("long-link", header.linkname),
    longText("long-name", header.name),
    block(header),
  ]);
}

/** What fills the last block of a content of this size. */
export function padding(size: number): Buffer {
  return Buffer.alloc(-size & (BLOCK_BYTES - 1));
}

/** A name or link that does not fit the header comes before it, as an entry of its own. */
function longText(type: TarHeader["type"], text: ByteText): Buffer {
  if (text.length < NAME_BYTES) return Buffer.alloc(0);
  const content = bytesOf(`${text}\0`);
  const size = content.length;
  const header = block({ name: LONG_NAME, type, linkname: "", mode: 0o644, size, mtimeSeconds: 0 });
  return Buffer.concat([header, content, padding(size)]);
}

function block({ name, type, linkname, mode, size, mtimeSeconds }: TarHeader): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  bytes.write(name.slice(0, NAME_BYTES - 1), 0, "latin1");
  writeNumber(bytes, 100, 8, mode);
  // Owner 0: who unpacks owns.
  writeNumber(bytes, 108, 8, 0);
  writeNumber(bytes, 116, 8, 0);
  writeNumber(bytes, 124, 12, size);
  writeNumber(bytes, 136, 12, Math.max(0, Math.floor(mtimeSeconds)));
  bytes.write(TYPE_FLAGS[type], 156, "latin1");
  bytes.write(linkname.slice(0, NAME_BYTES - 1), 157, "latin1");
  bytes.write("ustar  \0", 257, "latin1");
  bytes.write(checksum(bytes), 148, "latin1");
  return bytes;
}

/** Octal digits, or, when they do not fit, base 256 marked by its first bit. */
function writeNumber(bytes: Buffer, offset: number, width: number, value: number): void {
  const digits = value.toString(8).padStart(width - 1, "0");
  if (digits.length < width) {
    bytes.write(digits, offset, "latin1");
    return;
  }
  bytes[offset] = 0x80;
  bytes.writeBigUInt64BE(BigInt(value), offset + width - 8);
}

/** The sum of all bytes, with the sum's own field taken for spaces. */
function checksum(bytes: Buffer): string {
  const sum = bytes.reduce((total, byte) => total + byte, 8 * 0x20);
  return `${sum.toString(8).padStart(6, "0")}\0 `;
}

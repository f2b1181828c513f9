import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { END_MARK, encodeHeader } from "../../../src/archive/header.ts";
import { readTree, temporaryFolder } from "../../support/tree.ts";

const VERB = fileURLToPath(new URL("../../support/scripts/tar-verb.js", import.meta.url));
const MIB = 1_048_576;
/** How far a collector that gets little of the processor lets garbage grow; less than any file here. */
const FLAT_BYTES = 256 * MIB;

type Run = { stdout: AsyncIterable<Buffer>; peakBytes: Promise<number> };

/** One process for the whole of it, whatever the size; it tells its highest memory in the end. */
function run(
  verb: "tar-create" | "tar-extract",
  path: string,
  stdin: Readable = Readable.from([]),
): Run {
  const env = { PATH: process.env.PATH, TELL_MEMORY: "yes" };
  const child = spawn(process.execPath, [VERB, verb, path], { env });
  stdin.pipe(child.stdin);
  const peakBytes = text(child.stderr).then((kibibytes) => Number(kibibytes) * 1024);
  return { stdout: child.stdout, peakBytes };
}

async function hashOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

async function* repeated(block: Buffer, count: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) yield block;
}

test("FS-02, FS-03: 300 MiB are written through a stream, with flat memory", async (t) => {
  const target = await temporaryFolder(t);
  const block = Buffer.alloc(MIB, "three hundred of these");
  const header = { name: "big", type: "file", linkname: "", mode: 0o644, mtimeSeconds: 0 } as const;
  const start = encodeHeader({ ...header, size: 300 * MIB });
  async function* tar(): AsyncGenerator<Buffer> {
    yield start;
    yield* repeated(block, 300);
    yield END_MARK;
  }
  const { stdout, peakBytes } = run("tar-extract", target, Readable.from(tar()));
  const bytes = 512 + 300 * MIB + 1024;
  const result = { entries: 1, bytes, sha256: await hashOf(tar()) };
  assert.deepEqual(JSON.parse(await text(stdout)), result);
  const sha256 = await hashOf(repeated(block, 300));
  assert.deepEqual(await readTree(target), { big: { mode: "644", mtimeSeconds: 0, sha256 } });
  assert((await peakBytes) < FLAT_BYTES, `${await peakBytes} bytes at most`);
});

test("FS-10: 2 GiB are read through one process, with flat memory", async (t) => {
  const folder = await temporaryFolder(t);
  const size = 2 ** 31 + 1;
  await writeFile(join(folder, "big"), "");
  await truncate(join(folder, "big"), size);
  const { stdout, peakBytes } = run("tar-create", join(folder, "big"));
  let bytes = 0;
  for await (const chunk of stdout) bytes += chunk.length;
  assert.equal(bytes, 512 + size + 511 + 1024);
  assert((await peakBytes) < 2 * FLAT_BYTES, `${await peakBytes} bytes at most`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { extract, type Header } from "tar-stream";
import { END_MARK, encodeHeader, padding, type TarHeader } from "../../../src/archive/header.ts";

const PLAIN: TarHeader = {
  name: "./a",
  type: "file",
  linkname: "",
  mode: 0o640,
  size: 0,
  mtimeSeconds: 1_700_000_000,
};

/** The same header, read by another implementation. */
async function decoded(header: TarHeader): Promise<Partial<Header>> {
  const options = { highWaterMark: 65_536, filenameEncoding: "latin1" };
  const parser = extract(options);
  const read = new Promise<Header>((resolve, reject) => {
    parser.on("entry", resolve);
    parser.on("error", reject);
  });
  parser.write(encodeHeader(header));
  const { name, type, mode, size, mtime, linkname, uid, gid } = await read;
  return { name, type, mode, size, mtime, linkname, uid, gid };
}

function expected(header: TarHeader): object {
  const { mtimeSeconds, linkname, ...same } = header;
  const mtime = new Date(mtimeSeconds * 1000);
  return { ...same, mtime, linkname: linkname || null, uid: 0, gid: 0 };
}

test("a header says name, kind, permissions, size and time, and no owner", async () => {
  assert.deepEqual(await decoded(PLAIN), expected(PLAIN));
});

test("names and links of any length and any bytes come through", async () => {
  for (const length of [1, 98, 99, 100, 101, 255, 4_000]) {
    const name = "n\xff".repeat(length).slice(0, length);
    const file = { ...PLAIN, name };
    assert.deepEqual(await decoded(file), expected(file));
    const link: TarHeader = { ...PLAIN, type: "symlink", name, linkname: `${name}l` };
    assert.deepEqual(await decoded(link), expected(link));
  }
});

test("FS-06: a size of more than 8 GiB is right", async () => {
  for (const size of [2 ** 33 - 1, 2 ** 33, 2 ** 33 + 1, 2 ** 45]) {
    const file = { ...PLAIN, size };
    assert.deepEqual(await decoded(file), expected(file));
  }
});

test("mode 0 and times after 2038 are kept, times before 1970 become 1970", async () => {
  const odd = { ...PLAIN, mode: 0, mtimeSeconds: 2 ** 33 + 5 };
  assert.deepEqual(await decoded(odd), expected(odd));
  assert.deepEqual((await decoded({ ...PLAIN, mtimeSeconds: -1.5 })).mtime, new Date(0));
});

test("content is padded to whole blocks", () => {
  const sizes = [0, 1, 511, 512, 513, 2 ** 33 + 1];
  assert.deepEqual(
    sizes.map((size) => padding(size).length),
    [0, 511, 1, 0, 511, 511],
  );
  assert.deepEqual(END_MARK, Buffer.alloc(1024));
});

import assert from "node:assert/strict";
import { chmod, mkdir, readFile, readlink, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createTar } from "../../../src/archive/create.ts";
import { extractTar } from "../../../src/archive/extract.ts";
import { readTree, temporaryFolder } from "../../support/tree.ts";

type Branch =
  | { kind: "file"; mode: number; mtime: number; content: Uint8Array }
  | { kind: "link"; target: string }
  | { kind: "folder"; mode: number; mtime: number; children: Tree };
type Tree = { [name: string]: Branch };

/** Names that programs stumble over: blanks, quotes, newlines, dots, long ones, other alphabets. */
const name = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 120 }),
  )
  .filter((text) => !/[/\0]|^\.\.?$/.test(text) && Buffer.byteLength(text) <= 255);
const mode = fc.constantFrom(0o700, 0o755, 0o711, 0o777, 0o1777);
/** From 1970 to past 2038, where 32 bits end. */
const mtime = fc.integer({ min: 0, max: 2 ** 32 });
const file = fc.record({
  kind: fc.constant("file" as const),
  mode,
  mtime,
  content: fc.uint8Array({ maxLength: 2_000 }),
});
const link = fc.record({ kind: fc.constant("link" as const), target: name });

const { tree } = fc.letrec<{ tree: Tree; folder: Branch }>((tie) => ({
  tree: fc.dictionary(
    name,
    fc.oneof({ depthSize: "small", withCrossShrink: true }, file, link, tie("folder")),
    { maxKeys: 6, noNullPrototype: true },
  ),
  folder: fc.record({ kind: fc.constant("folder" as const), mode, mtime, children: tie("tree") }),
}));

async function plant(at: string, branches: Tree): Promise<void> {
  await mkdir(at, { recursive: true });
  for (const [child, branch] of Object.entries(branches)) await grow(join(at, child), branch);
}

async function grow(path: string, branch: Branch): Promise<void> {
  if (branch.kind === "link") return symlink(branch.target, path);
  if (branch.kind === "file") await writeFile(path, branch.content);
  else await plant(path, branch.children);
  await chmod(path, branch.mode);
  await utimes(path, branch.mtime, branch.mtime);
}

test("any tree comes back as it was", async (t) => {
  const folder = await temporaryFolder(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(tree, async (branches) => {
      run += 1;
      const original = join(folder, `${run}`);
      const copy = join(folder, `${run}-copy`);
      await plant(original, branches);
      await extractTar(createTar(original), copy);
      assert.deepEqual(await readTree(copy), await readTree(original));
    }),
    { numRuns: 40 },
  );
});

test("names and links that are not UTF-8 come back byte for byte", async (t) => {
  const folder = await temporaryFolder(t);
  const names = [[0xff], [0xfe], Array.from({ length: 200 }, () => 0xe9), [0xc3, 0xa9]];
  const at = (root: string, bytes: number[]) =>
    Buffer.concat([Buffer.from(`${join(folder, root)}/`), Buffer.from(bytes)]);
  await mkdir(join(folder, "original"));
  for (const bytes of names) await writeFile(at("original", bytes), Buffer.from(bytes));
  await symlink(Buffer.from([0xff, 0xfe]), at("original", [0x6c]));
  await extractTar(createTar(join(folder, "original")), join(folder, "copy"));
  for (const bytes of names) {
    assert.deepEqual(await readFile(at("copy", bytes)), Buffer.from(bytes));
  }
  assert.deepEqual(await readlink(at("copy", [0x6c]), "buffer"), Buffer.from([0xff, 0xfe]));
});

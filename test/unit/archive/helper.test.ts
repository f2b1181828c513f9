import assert from "node:assert/strict";
import { chmod, chown, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { asUser, ORDINARY_UID } from "../../support/as-user.ts";
import { readTree, sha256, temporaryFolder } from "../../support/tree.ts";
import { tarOf } from "./tars.ts";

const VERB = fileURLToPath(new URL("../../support/scripts/tar-verb.js", import.meta.url));
const uid = process.getuid?.() === 0 ? ORDINARY_UID : process.getuid?.();
const mtime = new Date("2020-02-03T04:05:06Z");

/** A folder that belongs to the user whom `asUser` stands for. */
async function ownFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const own = join(folder, "own");
  await mkdir(own);
  if (uid !== undefined) await chown(own, uid, uid);
  return own;
}

test("FS-04: what a user unpacks belongs to that user, whoever the archive names", async (t) => {
  const target = await ownFolder(t);
  const stdin = await tarOf(
    { name: "sub/", type: "directory", uid: 0, gid: 0 },
    { name: "sub/file", content: "one", uid: 1000, gid: 1000, mode: 0o644, mtime },
  );
  const { exitCode, stdout } = await asUser(VERB, ["tar-extract", target], { stdin });
  assert.equal(exitCode, 0);
  const result = { entries: 2, bytes: stdin.length, sha256: sha256(stdin) };
  assert.deepEqual(JSON.parse(stdout.toString()), result);
  for (const path of ["sub", "sub/file"]) assert.equal((await stat(join(target, path))).uid, uid);

  const edit = "const fs = require('fs'); fs.appendFileSync('sub/file', ' two');";
  const enter = `process.chdir(${JSON.stringify(target)});`;
  assert.equal((await asUser("-e", [enter + edit])).exitCode, 0);
  assert.equal((await readTree(target))["sub/file"]?.sha256, sha256("one two"));
  assert.equal(
    (await asUser("-e", [`${enter} fs.rmSync('sub', { recursive: true })`])).exitCode,
    0,
  );
});

test("FS-04: a folder of somebody else is refused, by name", async () => {
  const stdin = await tarOf({ name: "outwork-test", content: "x" });
  const { exitCode, stdout } = await asUser(VERB, ["tar-extract", "/usr"], { stdin });
  const { type, path, system_code } = JSON.parse(stdout.toString());
  assert.deepEqual(
    { exitCode, type, path, system_code },
    {
      exitCode: 1,
      type: "urn:outwork:policy-denied",
      path: "outwork-test",
      system_code: "EACCES",
    },
  );
});

test("what cannot be read is named on stderr, and the archive has no end mark", async (t) => {
  const folder = await ownFolder(t);
  await writeFile(join(folder, "secret"), "secret");
  await chmod(join(folder, "secret"), 0o000);
  const { exitCode, stdout, stderr } = await asUser(VERB, ["tar-create", folder]);
  const { type, path, system_code } = JSON.parse(stderr);
  assert.deepEqual(
    { exitCode, type, path, system_code, bytes: stdout.length },
    {
      exitCode: 1,
      type: "urn:outwork:policy-denied",
      path: "./secret",
      system_code: "EACCES",
      bytes: 0,
    },
  );
});

test("what one verb packs the other one unpacks", async (t) => {
  const from = await ownFolder(t);
  const to = await ownFolder(t);
  await writeFile(join(from, "a"), "content", { mode: 0o644 });
  const packed = await asUser(VERB, ["tar-create", from]);
  assert.deepEqual([packed.exitCode, packed.stderr], [0, ""]);
  const unpacked = await asUser(VERB, ["tar-extract", to], { stdin: packed.stdout });
  assert.equal(unpacked.exitCode, 0);
  assert.deepEqual(await readTree(to), await readTree(from));
});

test("a verb that refuses an entry answers while the sender is still sending", async (t) => {
  const target = await ownFolder(t);
  const unsafe = await tarOf({ name: "/x" });
  async function* endless(): AsyncGenerator<Buffer> {
    yield unsafe;
    await new Promise((resolve) => t.after(resolve));
  }
  const { exitCode, stdout } = await asUser(VERB, ["tar-extract", target], {
    stdin: Readable.from(endless()),
  });
  const { entry, rule } = JSON.parse(stdout.toString());
  assert.deepEqual({ exitCode, entry, rule }, { exitCode: 1, entry: "/x", rule: "absolute-path" });
});

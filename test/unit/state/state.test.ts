import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openStateFolder, refuseImpassable } from "../../../src/state/folder.ts";
import { instanceId } from "../../../src/state/instance.ts";
import { lockFolder } from "../../../src/state/lock.ts";
import { writeServiceFile } from "../../../src/state/service-file.ts";
import { localToken } from "../../../src/state/token.ts";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "outwork-state-"));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}

test("the state folder is made when it is missing, closed to others but for passing through", async (t) => {
  const path = join(await folder(t), "a", "b");
  await openStateFolder(path);
  assert.equal(await modeOf(path), 0o711);
  await openStateFolder(path);
});

test("a state folder that others can write is refused with the remedy", async (t) => {
  const path = await folder(t);
  await chmod(path, 0o777);
  await assert.rejects(openStateFolder(path), { name: "StartupError", message: /chmod go-w/ });
});

test("a state folder that environments' users cannot reach is refused with the remedy", async (t) => {
  const path = await folder(t);
  const inner = join(path, "inner");
  await openStateFolder(inner);
  const asRoot = process.getuid?.() === 0;
  if (!asRoot) return refuseImpassable(inner);
  const refused = {
    name: "StartupError",
    message: new RegExp(`pass through ${path},.*chmod o\\+x`),
  };
  await assert.rejects(refuseImpassable(inner), refused);
  await chmod(path, 0o711);
  await refuseImpassable(inner);
});

test("LC-13: of two services on one folder, by whatever path, the second says who has it", async (t) => {
  const path = await folder(t);
  const alias = `${path}-alias`;
  await symlink(path, alias);
  t.after(() => rm(alias));
  const lock = await lockFolder(path);
  const starting = { name: "StartupError", message: /another service that is just starting/ };
  await assert.rejects(lockFolder(alias), starting);
  const started_at = new Date().toISOString();
  await writeServiceFile(path, { pid: 4711, url: "http://127.0.0.1:1", started_at });
  await assert.rejects(lockFolder(path), { message: /pid 4711 at http:\/\/127\.0\.0\.1:1/ });
  await lock[Symbol.asyncDispose]();
  await using again = await lockFolder(path);
  assert.ok(again);
});

test("the instance id is made once; a damaged one is an error, never a new owner", async (t) => {
  const path = await folder(t);
  const made = await instanceId(path);
  assert.match(made, /^ins_[a-z0-9]{16}$/);
  assert.equal(await instanceId(path), made);
  await writeFile(join(path, "instance.json"), "{");
  await assert.rejects(instanceId(path), { name: "StartupError", message: /damaged/ });
});

test("the local token is made once, random, and readable by its owner alone", async (t) => {
  const [path, other] = [await folder(t), await folder(t)];
  const { file, token } = await localToken(path);
  assert.match(token, /^ow_[A-Za-z0-9_-]{43}$/);
  assert.equal(await modeOf(file), 0o600);
  assert.equal((await readFile(file, "utf8")).trim(), token);
  assert.deepEqual(await localToken(path), { file, token });
  assert.notEqual((await localToken(other)).token, token);
});

test("a token that others can read, or that is none, is refused", async (t) => {
  const path = await folder(t);
  const { file } = await localToken(path);
  await chmod(file, 0o644);
  await assert.rejects(localToken(path), { name: "StartupError", message: /Others can read/ });
  await chmod(file, 0o600);
  await writeFile(file, "");
  await assert.rejects(localToken(path), { name: "StartupError", message: /holds no token/ });
});

import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { confined } from "../support/exec-server/confine.ts";
import { openFixture } from "../support/exec-server/fixture.ts";
import { LocalProcesses } from "../support/exec-server/local-processes.ts";
import { encode } from "../support/exec-server/protocol-client.ts";
import * as build from "../support/exec-server/sandbox.ts";
import { SandboxedFiles } from "../support/exec-server/sandboxed-files.ts";
import { script } from "../support/exec-server/starts.ts";

/** A workspace with a repository, a neighbour of it, and a link from the one to the other. */
async function open(t: TestContext) {
  const files = new SandboxedFiles();
  t.after(() => files[Symbol.dispose]());
  const processes = new LocalProcesses(confined);
  const fixture = await openFixture(t, { processes, files });
  await mkdir(join(fixture.root, "ws/.git"), { recursive: true });
  await mkdir(join(fixture.root, "out"));
  await writeFile(join(fixture.root, "ws/.git/config"), "cfg");
  await symlink("../out", join(fixture.root, "ws/escape"));
  const root = `file://${fixture.root}`;
  return { fixture, client: await fixture.ready(), root, ws: `${root}/ws` };
}

const PATHS = ["ws/new", "ws/.git/config", "ws/escape/new", "out/new"];

function rootsOnly(ws: string) {
  const entries = [
    build.entry(build.special("root"), "read"),
    build.entry(build.special("project_roots"), "write"),
  ];
  return build.context(build.managed(entries), ws);
}

test("ES-09: the same paths get the same verdicts by command and by file call", async (t) => {
  const { client, root, ws } = await open(t);
  const verdicts: Record<string, Record<string, [boolean, boolean]>> = {};
  for (const [name, sandbox] of [
    ["read-only", build.readOnly(ws)],
    ["roots", rootsOnly(ws)],
  ] as const) {
    const rows: Record<string, [boolean, boolean]> = {};
    for (const path of PATHS) {
      const id = `${name} ${path}`;
      const write = script(id, `echo x > ${path}`, { cwd: root, sandbox });
      await client.result("process/start", write);
      const byCommand = (await client.exitOf(id)).params?.exitCode === 0;
      const call = { path: `${root}/${path}`, dataBase64: encode("x"), sandbox };
      const { error } = await client.call("fs/writeFile", call);
      if (error !== undefined) {
        const message = "Read-only file system (os error 30)";
        assert.deepEqual(error, { code: -32603, message });
      }
      rows[path] = [byCommand, error === undefined];
    }
    verdicts[name] = rows;
  }
  const no: [boolean, boolean] = [false, false];
  const outside = { "ws/.git/config": no, "ws/escape/new": no, "out/new": no };
  assert.deepEqual(verdicts, {
    "read-only": { "ws/new": no, ...outside },
    roots: { "ws/new": [true, true], ...outside },
  });
});

test("a denial is seen for one, and what was protected is as it was", async (t) => {
  const { client, fixture, ws } = await open(t);
  const overwrite = script("p", "echo x > .git/config", { cwd: ws, sandbox: rootsOnly(ws) });
  await client.result("process/start", overwrite);
  assert.equal((await client.exitOf("p")).params?.sandboxDenied, true);
  assert.equal(await readFile(join(fixture.root, "ws/.git/config"), "utf8"), "cfg");
});

test("a file opened through a sandbox is read in blocks, and one outside is not opened", async (t) => {
  const { client, ws, root } = await open(t);
  const sandbox = rootsOnly(ws);
  await client.result("fs/open", { handleId: "r", path: `${ws}/.git/config`, sandbox });
  assert.deepEqual(await client.result("fs/readBlock", { handleId: "r", offset: 0, len: 10 }), {
    chunk: encode("cfg"),
    eof: true,
  });
  const outside = { handleId: "w", path: `${root}/out/f`, mode: "replace", sandbox };
  assert.equal((await client.error("fs/open", outside)).code, -32603);
  await client.result("fs/open", { ...outside, path: `${ws}/f` });
  const block = { handleId: "w", offset: 0, chunk: encode("text") };
  assert.deepEqual(await client.result("fs/writeBlock", block), {});
});

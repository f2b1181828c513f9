import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { EffectivePolicy } from "../../src/contract/policy.ts";
import { OutworkError } from "../../src/errors.ts";
import type { Files, Processes, ProcessStart } from "../../src/exec-server/ports.ts";
import { openFixture } from "../support/exec-server/fixture.ts";
import { localFiles } from "../support/exec-server/local-files.ts";
import { LocalProcesses } from "../support/exec-server/local-processes.ts";
import { encode } from "../support/exec-server/protocol-client.ts";
import * as build from "../support/exec-server/sandbox.ts";
import { script } from "../support/exec-server/starts.ts";

const NARROW: EffectivePolicy = {
  preset: "read-only",
  files: { write: [], protected_names: [] },
  network: "off",
};

/** Runs everything under the one policy, as an environment does that allows no more. */
function narrowing(starts: ProcessStart[] = []): Processes {
  const local = new LocalProcesses();
  return {
    start: (start, options) => {
      starts.push(start);
      return local.start({ ...start, policy: NARROW }, options);
    },
  };
}

test("ES-16: who asks for everything is told what really holds", async (t) => {
  const starts: ProcessStart[] = [];
  const client = await (await openFixture(t, { processes: narrowing(starts) })).ready();
  const wide = await client.result("process/start", script("p", "exit 0", { sandbox: null }));
  assert.deepEqual(wide, { processId: "p", sandboxType: "none", effectivePolicy: NARROW });
  assert.equal(starts[0]?.policy.preset, "danger-full-access");
});

test("ES-16: an executor that refuses to narrow says so in the protocol's words", async (t) => {
  const refused = new OutworkError("ceiling-exceeded", "full access is more than allowed here");
  const processes: Processes = { start: () => Promise.reject(refused) };
  const client = await (await openFixture(t, { processes })).ready();
  assert.deepEqual(await client.error("process/start", script("p", "exit 0")), {
    code: -32602,
    data: { kind: "sandboxPreparation" },
    message: "failed to prepare process sandbox: full access is more than allowed here",
  });
});

test("ES-09: a command and a file call with the same sandbox ask for the same policy", async (t) => {
  const starts: ProcessStart[] = [];
  const policies: EffectivePolicy[] = [];
  const files: Files = {
    ...localFiles,
    call: (method, params, options) => {
      policies.push(options.policy);
      return localFiles.call(method, params, options);
    },
  };
  const fixture = await openFixture(t, { processes: narrowing(starts), files });
  const client = await fixture.ready();
  const root = `file://${fixture.root}`;
  for (const sandbox of [null, build.readOnly(root), build.workspaceWrite("enabled", root)]) {
    const start = script(`p${starts.length}`, "exit 0", { sandbox, cwd: root });
    await client.result("process/start", start);
    await client.result("fs/getMetadata", { path: root, sandbox });
    await client.call("fs/writeFile", { path: `${root}/f`, dataBase64: "", sandbox });
    await client.result("fs/open", { handleId: `h${starts.length}`, path: `${root}/f`, sandbox });
    assert.deepEqual(policies.splice(0), Array(2).fill(starts.at(-1)?.policy));
  }
});

test("a path of another machine inside a writable root is tolerated while it is not here", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const root = `file://${fixture.root}`;
  const sandbox = build.context(
    build.managed([
      build.entry(build.special("root"), "read"),
      build.entry(build.special("project_roots"), "write"),
      build.entry(build.path(`${root}/client/.codex`), "read", { missing_path_behavior: "skip" }),
    ]),
    root,
  );
  const start = (id: string) => client.call("process/start", script(id, "exit 0", { sandbox }));
  assert.equal((await start("p")).result?.sandboxType, "linuxSeccomp");
  await mkdir(join(fixture.root, "client/.codex"), { recursive: true });
  const { error } = await start("q");
  assert.deepEqual([error?.code, error?.data], [-32602, { kind: "sandboxPreparation" }]);
  assert.match(String(error?.message), /client\/\.codex' cannot be kept read-only/);
});

test("file calls under a sandbox that cannot be had are refused before they are carried out", async (t) => {
  const fixture = await openFixture(t);
  await writeFile(join(fixture.root, "secret"), "s");
  const client = await fixture.ready();
  const root = `file://${fixture.root}`;
  const sandbox = build.context(
    build.managed([
      build.entry(build.special("root"), "read"),
      build.entry(build.path(`${root}/secret`), "deny"),
    ]),
    root,
  );
  const error = {
    code: -32603,
    data: { kind: "sandboxPreparation" },
    message: `failed to prepare file system sandbox: denied paths cannot be enforced here, and '${fixture.root}/secret' is one; reading is allowed everywhere or not at all`,
  };
  const path = `${root}/secret`;
  assert.deepEqual(await client.error("fs/readFile", { path, sandbox }), error);
  assert.deepEqual(await client.error("fs/open", { handleId: "h", path, sandbox }), error);
  const write = { path: `${root}/new`, dataBase64: encode("x"), sandbox };
  assert.deepEqual(await client.error("fs/writeFile", write), error);
  assert.equal((await client.error("fs/getMetadata", { path: `${root}/new` })).code, -32004);
});

test("sandboxDenied is a guess from output and exit code, never without a sandbox", async (t) => {
  const client = await (await openFixture(t)).ready();
  const sandbox = build.readOnly("file:///tmp");
  const verdicts: Record<string, unknown> = {};
  for (const [name, text, more] of [
    ["denied", 'echo "Permission denied" >&2; exit 1', { sandbox }],
    ["cut", 'printf "read-only "; sleep 0.1; echo "file system"; exit 2', { sandbox }],
    ["plain", "echo plain failure; exit 1", { sandbox }],
    ["success", "echo permission denied; exit 0", { sandbox }],
    ["filtered", "exit 159", { sandbox }],
    ["unsandboxed", "echo permission denied; exit 1", {}],
  ] as const) {
    await client.result("process/start", script(name, text, more));
    await client.closedOf(name);
    const read = await client.result("process/read", { processId: name });
    const { params } = await client.exitOf(name);
    assert.equal(params?.sandboxDenied, read.sandboxDenied);
    verdicts[name] = read.sandboxDenied;
  }
  assert.deepEqual(verdicts, {
    denied: true,
    cut: true,
    plain: false,
    success: false,
    filtered: true,
    unsandboxed: false,
  });
});

test("managed networks and proxies, which nobody announced, are refused and not ignored", async (t) => {
  const client = await (await openFixture(t)).ready();
  const managed = { sandbox: build.context({ type: "disabled" }), enforceManagedNetwork: true };
  const refused = await client.error("process/start", script("p", "exit 0", managed));
  assert.deepEqual([refused.code, refused.data], [-32602, { kind: "sandboxPreparation" }]);
  const networkProxy = { proxy: { enabled: true } };
  const proxied = await client.error("process/start", script("p", "exit 0", { networkProxy }));
  assert.deepEqual([proxied.code, proxied.data], [-32602, { kind: "sandboxUnavailable" }]);
  const alone = script("p", "exit 0", { enforceManagedNetwork: true });
  assert.equal((await client.result("process/start", alone)).processId, "p");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readJson } from "../../../../src/exec-server/json/reader.ts";
import { sandboxContext } from "../../../../src/exec-server/params/sandbox.ts";
import { SandboxRefusal } from "../../../../src/exec-server/sandbox/refusal.ts";
import {
  decisivePaths,
  PROTECTED_NAMES,
  requestedPolicy,
} from "../../../../src/exec-server/sandbox/translate.ts";
import * as build from "../../../support/exec-server/sandbox.ts";

const { entry, path, special } = build;
const START = { call: "start", tmpdir: "/var/tmp/me" } as const;
const FILE = { call: "file", tmpdir: "/var/tmp/me" } as const;
const GUARDED = [...PROTECTED_NAMES];

function decoded(context: object) {
  return sandboxContext(readJson(JSON.stringify(context)));
}

function policyOf(
  context: object,
  existing: string[] = [],
  rules: typeof START | typeof FILE = START,
) {
  return requestedPolicy(decoded(context), rules, (at) => existing.includes(at));
}

function refusal(context: object, rules: typeof START | typeof FILE = START): string {
  try {
    policyOf(context, [], rules);
  } catch (error) {
    assert.ok(error instanceof SandboxRefusal);
    return `${error.kind}: ${error.message}`;
  }
  return "none";
}

function restricted(entries: object[], network = "restricted") {
  return build.context(build.managed(entries, network));
}

test("no sandbox is as wide as the environment allows", () => {
  const widest = {
    preset: "danger-full-access",
    files: { write: "all", protected_names: [] },
    network: "on",
  };
  assert.deepEqual(
    requestedPolicy(null, START, () => false),
    widest,
  );
  assert.deepEqual(policyOf(build.context({ type: "disabled" })), widest);
});

test("read-only as clients send it is read-only without network", () => {
  assert.deepEqual(policyOf(build.readOnly()), {
    preset: "read-only",
    files: { write: [], protected_names: GUARDED },
    network: "off",
  });
});

test("workspace-write as clients send it grants roots, /tmp and $TMPDIR", () => {
  assert.deepEqual(policyOf(build.workspaceWrite("enabled")), {
    preset: "workspace-write",
    files: { write: ["/srv/project", "/tmp", "/var/tmp/me"], protected_names: GUARDED },
    network: "on",
  });
});

test("unrestricted and external profiles keep their network", () => {
  const unrestricted = { type: "managed", file_system: { type: "unrestricted" } };
  assert.deepEqual(policyOf(build.context({ ...unrestricted, network: "restricted" })), {
    preset: "danger-full-access",
    files: { write: "all", protected_names: [] },
    network: "off",
  });
  assert.deepEqual(policyOf(build.context({ type: "external", network: "enabled" })), {
    preset: "external-sandbox",
    files: { write: "all", protected_names: [] },
    network: "on",
  });
});

test("the newer carrier of roots replaces the older one, even when it has none", () => {
  const context = {
    ...restricted([entry(special("root"), "read"), entry(special("project_roots"), "write")]),
  };
  const newer = { policyContext: { cwd: "file:///a", workspaceRoots: ["file:///a"] } };
  assert.deepEqual(policyOf({ ...context, ...newer }).files.write, ["/a"]);
  assert.deepEqual(policyOf({ ...context, policyContext: {} }).files.write, []);
  assert.deepEqual(policyOf({ ...context, workspaceRoots: [] }).files.write, []);
});

test("a folder below a root, written by name, is a root of its own", () => {
  const lifted = restricted([
    entry(special("root"), "read"),
    entry(special("project_roots"), "write"),
    entry(special("project_roots", { subpath: ".git" }), "write"),
    entry(path("file:///extra"), "write"),
  ]);
  assert.deepEqual(policyOf(lifted).files.write, ["/srv/project", "/srv/project/.git", "/extra"]);
});

test("what cannot be enforced is refused with the path that cannot", () => {
  const root = entry(special("root"), "read");
  const roots = entry(special("project_roots"), "write");
  const carve =
    "cannot be kept read-only inside a writable root; only .git, .agents, .codex, .aws directly in it can";
  const refusals: [object, string][] = [
    [
      restricted([]),
      "inexpressible: restricted reading cannot be enforced here; an entry must let `root` be read",
    ],
    [
      restricted([entry(special("minimal"), "read"), roots]),
      "inexpressible: restricted reading cannot be enforced here; an entry must let `root` be read",
    ],
    [
      restricted([root, entry(path("file:///etc/shadow"), "deny")]),
      "inexpressible: denied paths cannot be enforced here, and '/etc/shadow' is one; reading is allowed everywhere or not at all",
    ],
    [
      restricted([root, entry(path("file:///etc/shadow"), "none")]),
      "inexpressible: denied paths cannot be enforced here, and '/etc/shadow' is one; reading is allowed everywhere or not at all",
    ],
    [
      restricted([root, entry({ type: "glob_pattern", pattern: "**/*.env" }, "deny")]),
      "inexpressible: denied paths cannot be enforced here, and '**/*.env' is one; reading is allowed everywhere or not at all",
    ],
    [
      restricted([root, roots, entry(path("file:///srv/project/sub"), "read")]),
      `inexpressible: '/srv/project/sub' ${carve}`,
    ],
    [
      restricted([root, roots, entry(path("file:///srv/project/sub/.git"), "read")]),
      `inexpressible: '/srv/project/sub/.git' ${carve}`,
    ],
    [
      restricted([
        entry(special("root"), "write"),
        entry(path("file:///srv/project/.git"), "read"),
      ]),
      `inexpressible: '/srv/project/.git' ${carve}`,
    ],
    [
      restricted([root, entry(path("file:///a/..%2F..%2Fetc"), "write")]),
      "inexpressible: 'file:///a/..%2F..%2Fetc' does not name one plain path",
    ],
    [
      { ...build.readOnly(), useLegacyLandlock: true },
      "inexpressible: filesystem-restricted execution requires bubblewrap to isolate app-server sockets",
    ],
    [
      { ...build.readOnly(), windowsSandboxLevel: "mxc" },
      "unavailable: native MXC is unavailable on this executor",
    ],
  ];
  assert.deepEqual(
    refusals.map(([context]) => refusal(context)),
    refusals.map(([, expected]) => expected),
  );
});

test("entries that grant nothing here change nothing", () => {
  const entries = [
    entry(special("root"), "read"),
    entry(special("minimal"), "read"),
    entry(special("unknown", { path: "x" }), "deny"),
    entry({ type: "glob_pattern", pattern: "**/*.md" }, "write"),
    entry(path("file:///home/client/.codex/.codex"), "read", { missing_path_behavior: "skip" }),
  ];
  assert.deepEqual(policyOf(restricted(entries)), policyOf(build.readOnly()));
});

test("a path of another machine inside a root is skipped only while it does not exist", () => {
  const context = restricted([
    entry(special("root"), "read"),
    entry(special("slash_tmp"), "write"),
    entry(path("file:///tmp/client/.codex"), "read", { missing_path_behavior: "skip" }),
  ]);
  assert.deepEqual(decisivePaths(decoded(context), START), ["/tmp/client/.codex"]);
  assert.deepEqual(policyOf(context).files.write, ["/tmp"]);
  assert.throws(() => policyOf(context, ["/tmp/client/.codex"]), SandboxRefusal);
});

test("a root writable as a whole has no narrower rules left to keep", () => {
  const context = restricted([entry(special("root"), "write")]);
  assert.deepEqual(policyOf(context).files, { write: "all", protected_names: [] });
});

test("places of another kind of machine are refused where they would count", () => {
  const readOnly = build.readOnly();
  const foreign = "'file:///C:/x' is invalid on 'linux'";
  const entries = restricted([entry(path("file:///C:/x"), "read")]);
  assert.equal(refusal(entries), `foreign: invalid sandbox permission path: ${foreign}`);
  assert.equal(refusal(entries, FILE), `foreign: invalid sandbox permission path URI: ${foreign}`);
  const roots = { ...readOnly, workspaceRoots: ["file:///C:/x"] };
  assert.equal(refusal(roots), `foreign: invalid sandbox workspace root: ${foreign}`);
  assert.equal(refusal(roots, FILE), "none");
  const cwd = { ...readOnly, cwd: "file:///C:/x" };
  assert.equal(refusal(cwd), `foreign: invalid sandbox policy cwd: ${foreign}`);
  assert.equal(refusal(cwd, FILE), "none");
});

test("file calls need a folder for entries that are relative to one", () => {
  const { cwd: _, ...context } = build.workspaceWrite();
  const reason = "needsCwd: file system sandbox context with dynamic permissions requires cwd";
  assert.equal(refusal(context, FILE), reason);
  assert.equal(refusal(context), "none");
});

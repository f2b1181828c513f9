import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "../../support/host-processes.ts";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { PROTECTED_NAMES, READ_ONLY, WORKSPACE_WRITE, writing } from "../../support/policies.ts";

/** What must fail on a repository's metadata, and what the system says to each. */
const ATTACKS = [
  ["echo x > .git/config", /Read-only file system/],
  ["mkdir .git/hooks", /Read-only file system/],
  ["rm -f .git/config", /Read-only file system/],
  ["chmod 777 .git/config", /Read-only file system/],
  ["ln .git/config stolen", /Invalid cross-device link/],
  ["mv .git git.old", /Device or resource busy/],
  ["rmdir .git", /Device or resource busy/],
  ["mkdir other; mv -T other .git", /Device or resource busy/],
  ["mount -t tmpfs none .git", /denied|superuser|not permitted/],
] as const;

/** What is really there: a read-only command has no root, and so no stand-in. */
const LIST = "ls -A /workspace /tmp";

const REPOSITORY = [
  { name: ".git", type: "directory" as const },
  { name: ".git/config", content: "mine" },
];

export function protectedNames(target: Target): void {
  describe("protected names", () => {
    const environment = useEnvironment(target);

    test("PO-18: are read-only in every writable root, where they are missing", async () => {
      const { stdout } = await environment().sh(`
        for root in /workspace /tmp; do for name in ${PROTECTED_NAMES.join(" ")}; do
          mkdir "$root/$name" 2>&1; (echo x > "$root/$name/x") 2>&1; stat -c %a "$root/$name"
        done; done`);
      const lines = stdout.trim().split("\n");
      assert.equal(lines.length, 24);
      for (const [index, expected] of [/File exists/, /Read-only/, /^555$/].entries()) {
        for (let line = index; line < lines.length; line += 3) {
          assert.match(lines[line] ?? "", expected);
        }
      }
    });

    test("PO-06: leave nothing on the disk where they are missing", async () => {
      await environment().sh("true");
      await eventually("they are gone", async () => {
        const { stdout } = await environment().sh(LIST, { policy: READ_ONLY });
        return !PROTECTED_NAMES.some((name) => stdout.includes(name));
      });
    });

    test("an empty folder of a caller's own is guarded, and stays afterwards as it was", async () => {
      await using own = await launch(target);
      await own.put("/workspace", [{ name: ".codex", type: "directory", mode: 0o755 }]);
      const { stderr } = await own.sh("echo x > .codex/x");
      assert.match(stderr, /Read-only file system/);
      const [entry] = await own.get("/workspace");
      assert.deepEqual(entry, { name: ".codex/", type: "directory", mode: 0o755 });
    });

    for (const root of ["/workspace", "/tmp"]) {
      test(`PO-18: no way of changing the metadata of a repository in ${root} works`, async () => {
        await environment().put(root, REPOSITORY);
        const script = ATTACKS.map(([attack]) => `(${attack}) 2>&1; echo ---`).join("\n");
        const { output } = await environment().sh(`cd ${root}\n${script}`);
        const said = output.split("---\n").slice(0, -1);
        for (const [index, [, expected]] of ATTACKS.entries()) {
          assert.match(said[index] ?? "", expected);
        }
        const kept = await environment().sh(`cd ${root}/.git && ls -A && cat config`);
        assert.equal(kept.stdout, "config\nmine");
      });
    }

    test("only direct children are protected, and only by their whole name", async () => {
      const { stderr, exitCode } = await environment().sh(
        "mkdir -p sub/.git/hooks && echo x > sub/.git/config && echo x > .gitignore && mkdir .github",
      );
      assert.deepEqual({ stderr, exitCode }, { stderr: "", exitCode: 0 });
    });

    test("in a folder that a request names as its root, its own are protected", async () => {
      await environment().sh("mkdir -p nested/.git && echo x > nested/.git/config");
      const { stderr } = await environment().sh(
        "echo y > nested/.git/config; echo y > nested/file",
        {
          policy: writing("/workspace/nested"),
        },
      );
      assert.match(stderr, /nested\/\.git\/config: Read-only file system\n$/);
    });

    test("PO-06: a protected name that is a link is refused, and read-only still runs", async () => {
      await using linked = await launch(target);
      await linked.put("/workspace", [
        { name: "elsewhere", type: "directory" },
        { name: ".git", type: "symlink", linkname: "elsewhere" },
      ]);
      await assert.rejects(linked.sh("true"), {
        code: "policy-denied",
        facts: { rule: "protected-name-is-a-link", path: "/workspace/.git" },
      });
      assert.equal((await linked.sh("echo fine", { policy: READ_ONLY })).stdout, "fine\n");
    });

    test("a guard stays while any command needs it, and goes with the last", async () => {
      await using fresh = await launch(target);
      const first = await fresh.startSh("sleep 30");
      const second = await fresh.startSh("read _; mkdir .git; (echo x > .git/x); ls -d .git", {
        stdin: "pipe",
      });
      await fresh.terminate(first);
      await fresh.readToEnd(first);
      await fresh.type(second, "\n", true);
      const { stderr } = await fresh.readToEnd(second);
      assert.match(stderr, /File exists[\s\S]*Read-only file system/);
      await eventually("they are gone", async () => {
        const { stdout } = await fresh.sh("ls -A /workspace", { policy: READ_ONLY });
        return stdout === "";
      });
    });

    test("a policy that names a protected folder as its root lifts its protection", async () => {
      const policy = writing("/workspace", "/tmp", "/workspace/.git");
      await using lifted = await launch(target, { policy });
      await lifted.put("/workspace", REPOSITORY);
      const { stderr } = await lifted.sh("echo x > .git/config; echo x > .codex/config");
      assert.match(stderr, /^[^\n]*\.codex\/config: Read-only file system\n$/);
      assert.deepEqual(
        (await lifted.sh("cat .git/config", { policy: WORKSPACE_WRITE })).stdout,
        "x\n",
      );
    });
  });
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Entry } from "../../support/placement-archive.ts";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { READ_ONLY } from "../../support/policies.ts";

const TREE: readonly Entry[] = [
  { name: "bin", type: "directory", mode: 0o755 },
  { name: "bin/run", type: "file", mode: 0o755, content: "#!/bin/sh\necho ran\n" },
  { name: "data", type: "file", mode: 0o640, content: "\0\x01\x7f".repeat(100_000) },
  { name: "empty", type: "file", mode: 0o644 },
  { name: "latest", type: "symlink", mode: 0o777, linkname: "bin/run" },
];

/** Entries that are refused, and by which rule. */
const REFUSED: readonly { entry: Entry; rule: string }[] = [
  { entry: { name: "../out", content: "x" }, rule: "parent-segment" },
  { entry: { name: "/etc/out", content: "x" }, rule: "absolute-path" },
  { entry: { name: "link", type: "symlink", linkname: "../../etc" }, rule: "link-leads-out" },
  { entry: { name: "link", type: "symlink", linkname: "/etc" }, rule: "link-leads-out" },
  { entry: { name: "fifo", type: "fifo" }, rule: "unsupported-type" },
];

export function archives(target: Target): void {
  describe("archives", () => {
    const environment = useEnvironment(target);

    test("what is uploaded comes back as it was, and commands own it", async () => {
      const { entries } = await environment().put("/workspace/tree", TREE);
      assert.equal(entries, TREE.length);
      const back = await environment().get("/workspace/tree");
      assert.deepEqual(
        back.map((entry) => ({ ...entry, name: entry.name.replace(/\/$/, "") })),
        TREE,
      );
      const { stdout } = await environment().sh(
        "tree/latest; echo more >> tree/data; [ -O tree/data ] && rm -r tree && echo gone",
      );
      assert.equal(stdout, "ran\ngone\n");
    });

    test("a folder that commands may not write is still the owner's to fill", async () => {
      await environment().put("/home/outwork/.config", [{ name: "tool", content: "set" }]);
      const { stdout, stderr } = await environment().sh(
        "cat ~/.config/tool; echo x > ~/.config/tool",
        { policy: READ_ONLY },
      );
      assert.equal(stdout, "set");
      assert.match(stderr, /Read-only file system/);
    });

    test("protected names are the owner's to fill, while a command runs that may not", async () => {
      const running = await environment().startSh(
        "echo up; read x; ls .git; (echo y > .git/HEAD); cat .git/HEAD",
        { stdin: "pipe" },
      );
      await environment().firstLine(running);
      await environment().put("/workspace", [
        { name: ".git", type: "directory", mode: 0o755 },
        { name: ".git/HEAD", content: "mine" },
      ]);
      await environment().type(running, "\n");
      const { stdout, stderr } = await environment().readToEnd(running);
      assert.equal(stdout, "up\nHEAD\nmine");
      assert.match(stderr, /\.git\/HEAD: Read-only file system/);
      const [folder] = await environment().get("/workspace/.git");
      assert.deepEqual(folder, { name: "HEAD", type: "file", mode: 0o644, content: "mine" });
      assert.equal((await environment().sh("cat .git/HEAD; stat -c %a .git")).stdout, "mine755\n");
    });

    test("what is downloaded while a command runs has none of the sandbox's own folders in it", async () => {
      const running = await environment().startSh("echo up; sleep 600");
      await environment().firstLine(running);
      const names = [
        ...(await environment().get("/tmp")),
        ...(await environment().get("/workspace")),
      ].map(({ name }) => name);
      await environment().terminate(running);
      assert.deepEqual(
        names.filter((name) => /\.(agents|aws|codex)/.test(name)),
        [],
      );
    });

    for (const { entry, rule } of REFUSED) {
      test(`FS-05: ${entry.type ?? "a file"} ${entry.name} (${entry.linkname ?? "-"}) is refused, and nothing is left`, async () => {
        const before = (await environment().sh("ls -A /workspace")).stdout;
        const put = environment().put("/workspace", [entry]);
        await assert.rejects(put, (error: { code: string; facts: { rule?: string } }) => {
          assert.deepEqual([error.code, error.facts.rule], ["archive-refused", rule]);
          return true;
        });
        const { stdout } = await environment().sh("ls -A /workspace; ls /etc/out /out 2>/dev/null");
        assert.equal(stdout, before);
      });
    }

    test("FS-05: nothing of the host or the system is written, wherever an upload is sent", async () => {
      for (const path of ["/etc", "/usr/bin", "/", "/proc", "/.outwork"]) {
        await assert.rejects(environment().put(path, [{ name: "outwork-test", content: "x" }]));
      }
      const { stdout } = await environment().sh(
        "ls -d /etc/outwork-test /usr/bin/outwork-test /outwork-test",
      );
      assert.equal(stdout, "");
    });

    test("FS-05: an upload through a link that a command laid stays within the environment", async () => {
      await environment().sh("ln -sfn /etc /tmp/trap");
      await assert.rejects(
        environment().put("/tmp/trap", [{ name: "outwork-test", content: "x" }]),
      );
      assert.equal((await environment().sh("ls /etc/outwork-test")).stdout, "");
    });

    test("a path that does not exist cannot be downloaded", async () => {
      await assert.rejects(environment().get("/workspace/nowhere"), { code: "path-not-found" });
    });

    test("FS-02: sizes around every limit of pipes and frames arrive whole", async () => {
      const sizes = [0, 1, 511, 512, 513, 65_535, 65_536, 65_537, 1_048_577, 20_000_000];
      await environment().put(
        "/workspace/sizes",
        sizes.map((size) => ({ name: String(size), content: "x".repeat(size) })),
      );
      const { stdout } = await environment().sh("cd sizes && wc -c * | sort -n | head -10");
      assert.deepEqual(
        stdout
          .trim()
          .split("\n")
          .map((line) => line.trim().split(" ")),
        sizes.map((size) => [String(size), String(size)]),
      );
      const back = await environment().get("/workspace/sizes");
      assert.deepEqual(
        back.map(({ name, content = "" }) => content.length === Number(name)),
        sizes.map(() => true),
      );
    });
  });
}

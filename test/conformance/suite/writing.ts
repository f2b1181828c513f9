import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { FULL_ACCESS, READ_ONLY, writing as writingTo } from "../../support/policies.ts";

const OUTSIDE = ["/etc/passwd", "/etc/new", "/usr/bin/new", "/new", "$HOME/new", "/.outwork/new"];
const ROOTS = ["/workspace/new", "/tmp/new"];

/** Every way of changing a file or folder that must not be changed. */
const CHANGES = [
  "echo x > place/new",
  "mkdir place/new",
  "rm -f place/kept",
  "mv place/kept place/moved",
  "mv place/kept /dev/shm/",
  "chmod 0777 place/kept",
  "touch -d @0 place/kept",
  ": > place/kept",
  "ln place/kept place/hard",
  "ln -s kept place/soft",
  "rm -r place",
  "mv place moved",
];

export function writing(target: Target): void {
  describe("writing", () => {
    const environment = useEnvironment(target);

    test("read-only: nothing can be written anywhere", async () => {
      const paths = [...OUTSIDE, ...ROOTS];
      const { output } = await environment().sh(writeEach(paths), { policy: READ_ONLY });
      assert.deepEqual(
        verdicts(output),
        paths.map(() => "Read-only file system"),
      );
    });

    test("workspace-write: nothing can be written outside the roots", async () => {
      const { output } = await environment().sh(writeEach(OUTSIDE));
      assert.deepEqual(
        verdicts(output),
        OUTSIDE.map(() => "Read-only file system"),
      );
    });

    test("workspace-write: the roots can be written, and the next command reads it", async () => {
      await environment().sh("echo one > /workspace/kept; echo two > /tmp/kept");
      const { stdout } = await environment().sh("cat /workspace/kept /tmp/kept");
      assert.equal(stdout, "one\ntwo\n");
    });

    test("read-only: no way of changing a file or folder works", async () => {
      await environment().sh("mkdir place && echo kept > place/kept");
      const { output } = await environment().sh(CHANGES.map((change) => `(${change})`).join("\n"), {
        policy: READ_ONLY,
      });
      assert.deepEqual(
        verdicts(output),
        CHANGES.map(() => "Read-only file system"),
      );
      const { stdout } = await environment().sh("cd place && ls -A && cat kept && stat -c %a kept");
      assert.equal(stdout, "kept\nkept\n644\n");
    });

    test("a link that leads out of a root leads to nothing that can be written", async () => {
      const { output } = await environment().sh(
        "ln -s /etc out; ln -s /etc/passwd file; (echo x > out/new); (echo x >> file)",
      );
      assert.deepEqual(verdicts(output), ["Read-only file system", "Read-only file system"]);
    });

    test("no device can be made, and the usual ones are there", async () => {
      const { stdout, stderr } = await environment().sh(`
        mknod memory c 1 1
        echo x > /dev/null && head -c 2 /dev/zero | wc -c && [ -r /dev/urandom ] && [ -d /dev/shm ]
        ls /dev | grep -c -e '^[shv]d[a-z]' -e '^mem$' -e '^kvm$'`);
      assert.match(stderr, /Operation not permitted/);
      assert.equal(stdout, "2\n0\n");
    });

    test("danger-full-access: writes what the adapter declares, protected names included", async () => {
      await using open = await launch(target, { policy: FULL_ACCESS });
      const everywhere = ["/workspace/.git", "/tmp/.git", "$HOME/new", "/etc/new", "/new"];
      const { output } = await open.sh(writeEach(everywhere));
      const refused = target().traits.fullAccess === "everything" ? 0 : 2;
      assert.deepEqual(verdicts(output), Array(refused).fill("Read-only file system"));
    });

    test("a writable root that does not exist is neither made nor replaced by its parent", async () => {
      const { output } = await environment().sh("(echo x > sibling); ls -d absent", {
        policy: writingTo("/workspace/absent"),
      });
      assert.deepEqual(verdicts(output), ["Read-only file system", "No such file or directory"]);
    });
  });
}

function writeEach(paths: readonly string[]): string {
  return paths.map((path) => `(echo x > "${path}")`).join("\n");
}

/** What the system said of each failure. */
function verdicts(output: string): string[] {
  return output
    .trim()
    .split("\n")
    .flatMap((line) => line.split(": ").at(-1) || []);
}

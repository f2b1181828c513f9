import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { PROTECTED_NAMES, writing } from "../../support/policies.ts";

/** Starts while a root is being swapped for a link; one that gets through would show. */
const ATTEMPTS = 40;
const SWAP = `
  while (1) {
    rename("swap", "keep/away"); symlink("../../../../../../../../var", "swap");
    select(undef, undef, undef, 0.002);
    unlink("swap"); rename("keep/away", "swap");
    select(undef, undef, undef, 0.002);
  }`;

export function linkedRoots(target: Target): void {
  describe("roots behind links", () => {
    const environment = useEnvironment(target);

    test("PO-15: a root given by a link is the folder it leads to, by either name", async () => {
      await environment().sh("mkdir -p real other && ln -sfn real link");
      const { stdout, stderr } = await environment().sh(
        "echo one > link/one && echo two > real/two && ls real link; echo x > other/x",
        { policy: writing("/workspace/link") },
      );
      assert.equal(stdout, "link:\none\ntwo\n\nreal:\none\ntwo\n");
      assert.match(stderr, /other\/x: Read-only file system/);
    });

    test("PO-15: a link swapped during a run moves nothing", async () => {
      await environment().sh("mkdir -p held free && ln -sfn held swapped");
      const policy = writing("/workspace/swapped");
      const running = await environment().startSh(
        "read _; (echo x > held/late); (echo x > free/late)",
        { policy, stdin: "pipe" },
      );
      await environment().sh("ln -sfn free swapped");
      await environment().type(running, "\n");
      const { stderr } = await environment().readToEnd(running);
      assert.match(stderr, /^[^\n]*free\/late: Read-only file system\n$/);
      assert.equal((await environment().sh("ls -A held | grep late")).stdout, "late\n");
    });

    test("PO-15: a root given by a link grants nothing outside the environment's own roots", async () => {
      await environment().sh('ln -sfn "$HOME" out; ln -sfn / top; ln -sfn .git hidden');
      const roots = ["/workspace/out", "/workspace/top", "/workspace/hidden"];
      const { output } = await environment().sh(
        '(echo x > "$HOME/x"); (echo x > /x); (echo x > .git/x); (echo x > /workspace/x)',
        { policy: writing(...roots) },
      );
      assert.equal(output.match(/Read-only file system|nonexistent/g)?.length, 4);
    });

    test("PO-15: a root swapped for a link while its sandbox is built leads nowhere else", async () => {
      await environment().sh("mkdir swap keep; touch swap/own");
      const swapping = await environment().start(["perl", "-e", SWAP]);
      const policy = writing("/workspace/swap");
      const listed = new Set<string>();
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const ran = environment().sh("ls -A swap", { policy });
        const { stdout } = await ran.catch(() => ({ stdout: "" }));
        for (const name of stdout.split("\n")) listed.add(name);
      }
      await environment().terminate(swapping);
      const own = ["", "own", "swap", ...PROTECTED_NAMES];
      assert.deepEqual(
        [...listed].filter((name) => !own.includes(name)),
        [],
      );
    });
  });
}

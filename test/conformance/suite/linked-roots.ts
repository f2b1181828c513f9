import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { writing } from "../../support/policies.ts";

/** Starts while a root is being swapped for a link; one that gets through would show. */
const ATTEMPTS = 40;

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
      await environment().sh("mkdir -p real other && ln -sfn real link");
      const policy = writing("/workspace/link");
      const running = await environment().startSh(
        "read _; (echo x > real/late); (echo x > other/late)",
        { policy, stdin: "pipe" },
      );
      await environment().sh("ln -sfn other link");
      await environment().type(running, "\n");
      const { stderr } = await environment().readToEnd(running);
      assert.match(stderr, /^[^\n]*other\/late: Read-only file system\n$/);
      assert.equal((await environment().sh("ls -A real | grep late")).stdout, "late\n");
    });

    test("PO-15: a root swapped for a link while its sandbox is built leads nowhere else", async () => {
      const swapping = await environment().startSh(`
        mkdir -p swap keep
        while :; do mv -T swap keep/away && ln -s ../../../../../../../../etc swap; rm swap; mv -T keep/away swap; done`);
      const policy = writing("/workspace/swap");
      const seen = [];
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const ran = await environment()
          .sh("ls -A swap; (echo x > swap/mark) && echo wrote", { policy })
          .catch(() => null);
        seen.push(ran?.stdout ?? "");
      }
      await environment().terminate(swapping);
      assert.ok(!seen.some((listed) => listed.includes("passwd") && listed.includes("wrote")));
    });
  });
}

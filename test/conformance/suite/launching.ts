import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { patience } from "../../support/run.ts";

/** Abort a launch here: before it begins, while it builds, while its agent starts. */
const ABORT_AFTER_MS = [0, 20, 150];

export function launching(target: Target): void {
  describe("launching", () => {
    const environment = useEnvironment(target, { variables: { GREETING: 'hello, "you"' } });

    test("answers as the environment it is", async () => {
      const hello = await environment().call("outwork/hello", {});
      assert.equal(hello.environment_id, environment().id);
      assert.ok(environment().placed.createdAt <= new Date());
    });

    test("gives an environment its own empty workspace, home and /tmp", async () => {
      const { stdout, exitCode } = await environment().sh(
        'pwd; ls -A /tmp "$HOME" | grep -v -e "^/" -e "^$" -e "^\\.\\(agents\\|aws\\|codex\\|git\\)$"; [ -d "$HOME" ]',
      );
      assert.deepEqual({ stdout, exitCode }, { stdout: "/workspace\n", exitCode: 0 });
    });

    test("passes the environment's own variables to every command", async () => {
      assert.equal((await environment().sh('printf %s "$GREETING"')).stdout, 'hello, "you"');
    });

    test("shows no file of another environment", async () => {
      await using other = await launch(target);
      await other.sh("echo theirs > /workspace/theirs; echo theirs > /tmp/theirs");
      const { stdout } = await environment().sh("ls /workspace /tmp; cat /workspace/theirs");
      assert.ok(!stdout.includes("theirs"));
    });

    test("shows no file that the host's users keep in /tmp or their homes", async () => {
      const folder = mkdtempSync(join(tmpdir(), "outwork-host-"));
      writeFileSync(join(folder, "secret"), "secret", { mode: 0o644 });
      const { exitCode } = await environment().sh(`cat ${folder}/secret`);
      rmSync(folder, { recursive: true });
      assert.notEqual(exitCode, 0);
    });

    test("refuses an id that is taken", async () => {
      const again = target().placement.launch(environment().placed.spec, patience());
      await assert.rejects(again, { code: "environment-conflict" });
      assert.equal((await environment().sh("echo still here")).stdout, "still here\n");
    });

    for (const afterMs of ABORT_AFTER_MS) {
      test(`leaves nothing of a launch that is aborted after ${afterMs} ms`, async () => {
        const aborting = new AbortController();
        const spec = target().spec();
        const launched = target().placement.launch(spec, { signal: aborting.signal });
        const refused = assert.rejects(launched, { name: "AbortError" });
        await sleep(afterMs);
        aborting.abort();
        await refused;
        assert.deepEqual(await target().leftovers(spec.id), []);
      });
    }

    test("finds everything that it needs on this machine", async () => {
      const checks = await target().placement.check(patience());
      assert.ok(checks.length > 0);
      assert.deepEqual(
        checks.filter(({ ok }) => !ok),
        [],
      );
    });
  });
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Process } from "../../../src/contract/process.ts";
import { eventually, processesWith } from "../../support/host-processes.ts";
import type { TestEnvironment } from "../../support/placement-environment.ts";
import { freshId, launch, type Target } from "../../support/placement-target.ts";
import { patience } from "../../support/run.ts";

const MEBIBYTE = 1_048_576;
const LIMITS = { pids: 64, memory_bytes: 192 * MEBIBYTE, cpus: 0.5 };

/** Everything that must answer whatever commands do. */
async function answers(environment: TestEnvironment): Promise<void> {
  await environment.call("outwork/hello", {});
  for (const { process_id } of await environment.list()) {
    await environment.call("outwork/process/get", { process_id });
  }
}

export function limits(target: Target): void {
  describe("limits", () => {
    test("LC-12: a fork bomb stays within its limit, is seen, and is ended", async () => {
      if (!target().traits.limits) return refused(target);
      await using environment = await launch(target, { limits: LIMITS });
      const marker = freshId();
      const bomb = await environment.startSh("bomb() { bomb | bomb & }; bomb; sleep 600", {
        variables: { marker },
      });
      await eventually("it has spread", () => processesWith(marker).length > LIMITS.pids / 2);
      for (let look = 0; look < 5; look += 1) {
        await answers(environment);
        assert.ok(processesWith(marker).length <= LIMITS.pids);
        await sleep(100);
      }
      assert.equal(await environment.terminate(bomb), true);
      await environment.readToEnd(bomb);
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
      assert.equal((await environment.sh("echo again")).stdout, "again\n");
    });

    test("LC-12: where there is no room for a process, a start is refused and may be repeated", async () => {
      if (!target().traits.limits) return refused(target);
      await using environment = await launch(target, { limits: { pids: 32 } });
      const running: Process[] = [];
      const fill = async () => running.push(await environment.startSh("sleep 600"));
      await assert.rejects(
        async () => {
          while (running.length < 32) await fill();
        },
        { code: "quota-exceeded" },
      );
      await answers(environment);
      await Promise.all(running.map((process) => environment.terminate(process)));
      await Promise.all(running.map((process) => environment.readToEnd(process)));
      assert.equal((await environment.sh("echo again")).stdout, "again\n");
    });

    test("LC-12: memory hogs, one big or many small, are killed and the agent is not", async () => {
      if (!target().traits.limits) return refused(target);
      await using environment = await launch(target, {
        limits: { memory_bytes: LIMITS.memory_bytes },
      });
      const big = await environment.sh("head -c 300000000 /dev/zero | tail | wc -c; echo survived");
      assert.equal(big.stdout.split("\n")[0], "0");
      const eat = "perl -e '$x = \"x\" x 20_000_000; sleep 2'";
      await environment.sh(`for i in $(seq 15); do ${eat} & done; wait`);
      await answers(environment);
      assert.equal((await environment.sh("echo again")).stdout, "again\n");
    });

    test("half a processor is half a processor, and the agent answers beside it", async () => {
      if (!target().traits.limits) return refused(target);
      await using environment = await launch(target, { limits: LIMITS });
      const burning = await environment.startSh(
        "for i in 1 2 3 4; do while :; do :; done & done; sleep 2; cat /proc/*/stat; kill -9 -1",
      );
      await answers(environment);
      const { stdout } = await environment.readToEnd(burning);
      const ticks = [...stdout.matchAll(/^\d+ \(sh\) .*$/gm)].reduce((sum, [line]) => {
        const [user, system] = line.split(" ").slice(13, 15).map(Number);
        return sum + (user ?? 0) + (system ?? 0);
      }, 0);
      assert.ok(ticks > 0 && ticks < 200 * LIMITS.cpus * 1.5, `${ticks} ticks in two seconds`);
    });
  });
}

/** Where limits cannot be enforced they are refused by name, and nothing is left of the launch. */
async function refused(target: Target): Promise<void> {
  const spec = target().spec({ limits: { pids: 64 } });
  await assert.rejects(target().placement.launch(spec, patience()), {
    code: "enforcement-missing",
    facts: { missing: "cgroup", limits: ["pids"] },
  });
  assert.deepEqual(await target().leftovers(spec.id), []);
}

import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ResolvedStartProcess } from "../../../src/contract/agent.ts";
import { eventually } from "../../support/host-processes.ts";
import { type Target, useEnvironment } from "../../support/placement-target.ts";

const AT_ONCE = 1_000;
const MANY = 200;
const POLL_MS = 1_000;
/** For all of them together. */
const PATIENCE_MS = 300_000;
const MEBIBYTE = 1_048_576;
const PRINTED = 1_024 * MEBIBYTE;
/** What an agent may grow by while it drops output: its log, and what the collector has not got to. */
const GROWTH = 100 * MEBIBYTE;

export function load(target: Target): void {
  describe("load", () => {
    const environment = useEnvironment(target);

    test(`${AT_ONCE} starts at once, each polled to its end, are answered`, async () => {
      const patient = { signal: AbortSignal.timeout(PATIENCE_MS) };
      setMaxListeners(AT_ONCE, patient.signal);
      const { agent } = environment().placed;
      const outputs = Array.from({ length: AT_ONCE }, async (_, index) => {
        const start = ResolvedStartProcess.parse({ argv: ["printf", String(index)] });
        const started = await agent.call("outwork/process/start", start, patient);
        const { process_id } = started;
        let { state } = started;
        while (state.kind !== "closed") {
          await sleep(POLL_MS);
          ({ state } = await agent.call("outwork/process/get", { process_id }, patient));
        }
        return (await environment().readToEnd(started)).stdout;
      });
      const expected = Array.from({ length: AT_ONCE }, (_, index) => String(index));
      assert.deepEqual(await Promise.all(outputs), expected);
    });

    test("others are answered while many starts wait for their turn", async () => {
      const running = await environment().startSh("sleep 600");
      let waiting = MANY;
      const starts = Array.from({ length: MANY }, async () => {
        await environment().run(["true"]);
        waiting -= 1;
      });
      assert.ok((await environment().list()).length > 0);
      assert.equal(await environment().terminate(running), true);
      assert.ok(waiting > 0);
      await Promise.all(starts);
    });

    test("a gibibyte that nobody reads passes through an agent that does not grow", async () => {
      const before = await target().agentMemory(environment().placed);
      const { process_id } = await environment().start([
        "head",
        "-c",
        String(PRINTED),
        "/dev/zero",
      ]);
      let most = 0;
      let total = 0;
      await eventually("all of it is printed", async () => {
        most = Math.max(most, await target().agentMemory(environment().placed));
        const { state, output } = await environment().call("outwork/process/get", { process_id });
        total = output.total_bytes;
        assert.ok(output.total_bytes - output.dropped_bytes <= 2 * MEBIBYTE);
        return state.kind === "closed";
      });
      assert.equal(total, PRINTED);
      assert.ok(most - before < GROWTH, `grew by ${(most - before) / MEBIBYTE} MiB`);
    });

    test("a process that prints one byte at a time costs no more than its bytes", async () => {
      const before = await target().agentMemory(environment().placed);
      const { events } = await environment().sh(
        "perl -e '$| = 1; for (1 .. 300_000) { syswrite STDOUT, \"x\" }'",
      );
      const last = events.at(-1);
      assert.ok(last?.type === "closed" && last.total_bytes === 300_000);
      const grown = (await target().agentMemory(environment().placed)) - before;
      assert.ok(grown < GROWTH, `grew by ${grown / MEBIBYTE} MiB`);
    });
  });
}

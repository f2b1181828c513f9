import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Placed, Placement } from "../../../src/core/placement.ts";
import { TestEnvironment } from "../../support/placement-environment.ts";
import { launch, type Target } from "../../support/placement-target.ts";
import { follow, patience } from "../../support/run.ts";

export function recovering(target: Target): void {
  describe("recovering", () => {
    test("LC-01: finds an environment again, as it was", async () => {
      const before = await launch(target, { labels: { who: "me" }, variables: { A: "b" } });
      await before.sh("echo kept > file");
      const hello = await before.call("outwork/hello", {});
      const after = await found(await target().reopen(), before);
      assert.deepEqual(after.placed.spec, before.placed.spec);
      assert.deepEqual(after.placed.createdAt, before.placed.createdAt);
      assert.deepEqual(await after.call("outwork/hello", {}), hello);
      assert.equal((await after.sh("cat file; echo $A")).stdout, "kept\nb\n");
      await after[Symbol.asyncDispose]();
      assert.deepEqual(await target().leftovers(before.id), []);
    });

    test("LC-01: a command's output goes on at the next number, and its exit code is kept", async () => {
      const before = await launch(target);
      const running = await before.startSh("echo one; read x; echo two; exit 7", { stdin: "pipe" });
      const ended = await before.sh("echo early; exit 5");
      await before.firstLine(running);
      const after = await found(await target().reopen(), before);
      const [first] = (await after.list()).filter(
        ({ process_id }) => process_id === running.process_id,
      );
      assert.equal(first?.state.kind, "running");
      await after.type(running, "\n");
      const rest = [];
      for await (const event of follow(after.agent, running.process_id, 1)) rest.push(event);
      assert.deepEqual(
        rest.map((event) => [event.type, "seq" in event ? event.seq : 0]),
        [
          ["output", 2],
          ["exited", 3],
          ["closed", 4],
        ],
      );
      assert.equal((await after.readToEnd(running)).exitCode, 7);
      assert.deepEqual((await after.readToEnd(ended.process)).events, ended.events);
      await after[Symbol.asyncDispose]();
    });

    test("a start that is repeated after a restart is not made twice", async () => {
      const before = await launch(target);
      const start = { process_id: "once" };
      await before.startSh("echo x >> made; sleep 600", start);
      const after = await found(await target().reopen(), before);
      const again = await after.startSh("echo x >> made; sleep 600", start);
      assert.equal(again.state.kind, "running");
      assert.equal((await after.sh("cat made")).stdout, "x\n");
      await after[Symbol.asyncDispose]();
    });

    test("a tool session outlives the service that opened it", async () => {
      const before = await launch(target);
      const opened = await before.exec({ cmd: "cat", tty: true, yield_time_ms: 250 });
      const after = await found(await target().reopen(), before);
      const typed = await after.write({ session_id: opened.session_id ?? 0, chars: "hi\n" });
      assert.equal(typed.output, "hi\r\nhi\r\n");
      await after[Symbol.asyncDispose]();
    });

    test("finds all of them, and none twice", async () => {
      const launched = await Promise.all([launch(target), launch(target), launch(target)]);
      const ids = launched.map(({ id }) => id).sort();
      const seen = await all(await target().reopen());
      assert.deepEqual(
        seen
          .map(({ spec }) => spec.id)
          .filter((id) => ids.includes(id))
          .sort(),
        ids,
      );
      await Promise.all(launched.map((environment) => environment[Symbol.asyncDispose]()));
    });

    test("another owner's environments are neither found nor touched", async () => {
      await using ours = await launch(target);
      const others = await target().reopen("somebody-else");
      assert.deepEqual(await all(others), []);
      assert.equal((await ours.sh("echo fine")).stdout, "fine\n");
    });
  });
}

async function all(placement: Placement): Promise<Placed[]> {
  const placed: Placed[] = [];
  for await (const one of placement.recover(patience())) placed.push(one);
  return placed;
}

/** The same environment, found by a placement that did not launch it. */
async function found(placement: Placement, before: TestEnvironment): Promise<TestEnvironment> {
  const placed = (await all(placement)).find(({ spec }) => spec.id === before.id);
  assert.ok(placed);
  return new TestEnvironment(placed);
}

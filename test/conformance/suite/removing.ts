import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually, processesWith } from "../../support/host-processes.ts";
import { freshId, launch, type Target } from "../../support/placement-target.ts";
import { patience } from "../../support/run.ts";

const ROUNDS = 20;

export function removing(target: Target): void {
  describe("removing", () => {
    test("leaves no process, file, socket, group or mount, whatever still runs", async () => {
      const marker = freshId();
      const environment = await launch(target, { variables: { marker } });
      const processes = await Promise.all([
        environment.startSh("echo up; sleep 600"),
        environment.startSh("(setsid nohup sleep 600 > /dev/null 2>&1 &); echo up; sleep 600"),
        environment.startSh('trap "" TERM INT HUP; echo up; while :; do sleep 1; done'),
        environment.startSh("echo up; kill -STOP $$"),
        environment.startSh("echo up; read x", { tty: { rows: 24, cols: 80 } }),
      ]);
      await Promise.all(processes.map((process) => environment.firstLine(process)));
      await environment.sh("mkdir -p a/b; chmod 0 a/b; chmod 500 a; touch .hidden");
      await environment[Symbol.asyncDispose]();
      assert.deepEqual(processesWith(marker), []);
      assert.deepEqual(await target().leftovers(environment.id), []);
    });

    test("does so while a reader, an upload and a call are under way", async () => {
      const environment = await launch(target);
      const process = await environment.startSh("yes", { back_pressure: "reader" });
      const reading = environment.readToEnd(process).catch((error: { code: string }) => error.code);
      const calling = environment
        .exec({ cmd: "sleep 600", yield_time_ms: 30_000 })
        .then(({ exit_code }) => exit_code)
        .catch((error: { code: string }) => error.code);
      await environment.firstLine(process);
      await environment[Symbol.asyncDispose]();
      assert.ok([137, "agent-unreachable"].includes((await calling) ?? 0));
      await reading;
      assert.deepEqual(await target().leftovers(environment.id), []);
    });

    test("twice, or twice at once, is harmless", async () => {
      const environment = await launch(target);
      await Promise.all([environment[Symbol.asyncDispose](), environment[Symbol.asyncDispose]()]);
      await environment[Symbol.asyncDispose]();
      assert.deepEqual(await target().leftovers(environment.id), []);
    });

    test("settles nothing as lost, and leaves nothing to recover", async () => {
      const environment = await launch(target);
      const lost = environment.placed.lost.then(() => "lost");
      await environment[Symbol.asyncDispose]();
      assert.equal(await Promise.race([lost, Promise.resolve("removed")]), "removed");
      const found = [];
      for await (const placed of target().placement.recover(patience())) found.push(placed.spec.id);
      assert.ok(!found.includes(environment.id));
    });

    test("is felt by old handles: their calls fail, and never reach who has the name now", async () => {
      const old = await launch(target);
      await old[Symbol.asyncDispose]();
      await using fresh = await launch(target, { id: old.id });
      await assert.rejects(old.sh("touch intruder"), { code: "agent-unreachable" });
      assert.equal((await fresh.sh("ls")).stdout, "");
    });

    test(`LC-07: frees the name at once, ${ROUNDS} times over`, async () => {
      const spec = target().spec();
      for (let round = 0; round < ROUNDS; round += 1) {
        await using environment = await launch(target, { id: spec.id });
        const { stdout } = await environment.sh(`ls; echo ${round} > round; cat round`);
        assert.equal(stdout, `${round}\n`);
      }
      assert.deepEqual(await target().leftovers(spec.id), []);
    });

    test("an agent that dies is told as lost, and its commands die with it", async () => {
      const marker = freshId();
      await using environment = await launch(target, { variables: { marker } });
      const process = await environment.startSh("echo up; sleep 600");
      await environment.firstLine(process);
      await target().killAgent(environment.placed);
      let reason: string | undefined;
      void environment.placed.lost.then((told) => {
        reason = told;
      });
      await eventually("it is told", () => reason !== undefined);
      assert.equal(reason, "agent-died");
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
      await assert.rejects(environment.sh("true"), { code: "agent-unreachable" });
    });
  });
}

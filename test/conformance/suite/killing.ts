import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, processesWith } from "../../support/host-processes.ts";
import { freshId, type Target, useEnvironment } from "../../support/placement-target.ts";

const RACES = 60;

/** Ways to survive the end of one's parent, and more of them. */
const ESCAPES = {
  "a child": "sleep 600 & echo up; wait",
  "a child in a session of its own": "setsid sleep 600 & echo up; wait",
  "a child that has detached twice":
    "(setsid sh -c 'sleep 600 & sleep 600 &' &) ; sleep 0.2; echo up; sleep 600",
  "one that ignores all it can": 'trap "" TERM INT HUP QUIT; echo up; while :; do sleep 1; done',
  "children that ignore all they can":
    "(trap '' TERM HUP; setsid nohup sh -c 'while :; do sleep 1; done' 2>/dev/null &) ; sleep 0.2; echo up; sleep 600",
  "one that is stopped": "sleep 600 & kill -STOP $!; echo up; kill -STOP $$; sleep 600",
  "a tree that grows":
    "grow() { [ $1 -gt 6 ] || { sleep 0.05; grow $(($1 + 1)) & grow $(($1 + 1)) & }; sleep 600; }; echo up; grow 1",
} as const;

const SIGNALS = [
  { signal: "SIGTERM", exitCode: 143 },
  { signal: "SIGHUP", exitCode: 129 },
  { signal: "SIGQUIT", exitCode: 131 },
  { signal: "SIGUSR1", exitCode: 138 },
  { signal: "SIGUSR2", exitCode: 140 },
] as const;

export function killing(target: Target): void {
  describe("killing", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);

    for (const [what, script] of Object.entries(ESCAPES)) {
      for (const graceMs of [0, 300]) {
        test(`terminate with ${graceMs} ms of grace reaches ${what}`, async () => {
          const marker = freshId();
          const process = await environment().startSh(script, { variables: { marker } });
          await environment().firstLine(process);
          assert.equal(await environment().terminate(process, graceMs), true);
          const { cause } = await environment().readToEnd(process);
          assert.equal(cause, "terminated");
          await eventually("all of it is gone", () => processesWith(marker).length === 0);
        });
      }
    }

    test(`of ${RACES} commands that are killed while they start none stays`, async () => {
      const marker = freshId();
      const variables = { marker };
      await Promise.all(
        Array.from({ length: RACES }, async (_, index) => {
          const process = await environment().startSh("sleep 600 & sleep 600", { variables });
          await sleep(index % 12);
          await environment().terminate(process);
          const { exitCode, cause } = await environment().readToEnd(process);
          assert.deepEqual({ exitCode, cause }, { exitCode: 137, cause: "terminated" });
        }),
      );
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
    });

    for (const { signal, exitCode } of SIGNALS) {
      test(`EX-13: ${signal} reaches the command and its group, and says so`, async () => {
        const process = await environment().startSh("echo up; sleep 600; echo never");
        await environment().firstLine(process);
        const { process_id } = process;
        const params = { process_id, signal };
        assert.deepEqual(await environment().call("outwork/process/signal", params), {
          delivered: true,
        });
        const ended = await environment().readToEnd(process);
        assert.deepEqual(
          { exitCode: ended.exitCode, cause: ended.cause, output: ended.output },
          { exitCode, cause: "signalled", output: "up\n" },
        );
      });
    }

    test("EX-13: an interrupt of one that ends by it is told as interrupted", async () => {
      const process = await environment().startSh("echo up; sleep 600");
      await environment().firstLine(process);
      const params = { process_id: process.process_id, signal: "SIGINT" } as const;
      assert.deepEqual(await environment().call("outwork/process/signal", params), {
        delivered: true,
      });
      const { exitCode, cause } = await environment().readToEnd(process);
      assert.deepEqual({ exitCode, cause }, { exitCode: 130, cause: "interrupted" });
    });

    test("EX-13: an interrupt of one that ignores it leaves it running", async () => {
      const process = await environment().startSh('trap "" INT; echo up; read x; exit 3', {
        stdin: "pipe",
      });
      await environment().firstLine(process);
      const params = { process_id: process.process_id, signal: "SIGINT" } as const;
      assert.deepEqual(await environment().call("outwork/process/signal", params), {
        delivered: true,
      });
      await environment().type(process, "\n");
      const { exitCode, cause } = await environment().readToEnd(process);
      assert.deepEqual({ exitCode, cause }, { exitCode: 3, cause: "exited" });
    });

    test("EX-13: signals to one that has ended are not delivered, and no error", async () => {
      const { process } = await environment().sh("true");
      const { process_id } = process;
      const answers = await Promise.all([
        environment().call("outwork/process/signal", { process_id, signal: "SIGINT" }),
        environment().call("outwork/process/terminate", { process_id, grace_ms: 0 }),
        environment().call("outwork/process/resize", { process_id, size: { rows: 1, cols: 1 } }),
      ]);
      assert.deepEqual(answers, Array(3).fill({ delivered: false }));
    });

    test("a stopped command is continued where it was", async () => {
      const process = await environment().startSh("echo up; read x; echo done", { stdin: "pipe" });
      await environment().firstLine(process);
      const { process_id } = process;
      await environment().call("outwork/process/signal", { process_id, signal: "SIGSTOP" });
      await environment().type(process, "\n");
      await sleep(300);
      const { state } = await environment().call("outwork/process/get", { process_id });
      assert.deepEqual(state, { kind: "running" });
      await environment().call("outwork/process/signal", { process_id, signal: "SIGCONT" });
      assert.equal((await environment().readToEnd(process)).output, "up\ndone\n");
    });

    test("a signal leaves the sandbox's own init alone", async () => {
      const process = await environment().startSh(
        'trap "echo caught; exit 0" TERM; echo up; while :; do sleep 0.05; done',
      );
      await environment().firstLine(process);
      const params = { process_id: process.process_id, signal: "SIGTERM" } as const;
      await environment().call("outwork/process/signal", params);
      const { stdout, exitCode } = await environment().readToEnd(process);
      assert.deepEqual({ stdout, exitCode }, { stdout: "up\ncaught\n", exitCode: 0 });
    });

    test("LC-11: 500 children that were left to the sandbox's init leave no zombie", async () => {
      const { stdout } = await environment().sh(
        "for i in $(seq 500); do (true & true &); done; sleep 1; cat /proc/[0-9]*/stat | grep -c ') Z '",
      );
      assert.equal(stdout, "0\n");
    });
  });
}

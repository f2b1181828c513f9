import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { argumentsOf, eventually, processesWith } from "../../support/host-processes.ts";
import { freshId, type Target, useEnvironment } from "../../support/placement-target.ts";

const EDGE_RUNS = 40;
const EDGE_MS = 100;

/** Every way to end, and what is said of it. */
const ENDS = [
  { script: "exit 0", exitCode: 0, cause: "exited" },
  { script: "exit 3", exitCode: 3, cause: "exited" },
  { script: "exit 300", exitCode: 44, cause: "exited" },
  { script: "exit 137", exitCode: 137, cause: "exited" },
  { script: "kill -9 $$", exitCode: 137, cause: "exited" },
  { script: "kill -15 $$", exitCode: 143, cause: "exited" },
  { script: "kill -SEGV $$", exitCode: 139, cause: "exited" },
];

export function processEnds(target: Target): void {
  describe("the end of a process", () => {
    const environment = useEnvironment(target);

    test("EX-01: a timeout ends the whole tree, whoever holds the pipes", async () => {
      const marker = freshId();
      const { output, exitCode, cause } = await environment().sh(
        "echo so far; mkfifo p; cat p & cat p",
        {
          timeout_ms: 500,
          variables: { marker },
        },
      );
      assert.deepEqual(
        { output, exitCode, cause },
        { output: "so far\n", exitCode: 143, cause: "timeout" },
      );
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
    });

    test("EX-02: what a command leaves behind ends with it, and no reader waits", async () => {
      const marker = freshId();
      const { output, exitCode, cause } = await environment().sh(
        "sleep 600 & (setsid sleep 600 &) ; nohup sleep 600 2>/dev/null >&2 & echo hi; exit 0",
        { variables: { marker } },
      );
      assert.deepEqual(
        { output, exitCode, cause },
        { output: "hi\n", exitCode: 0, cause: "exited" },
      );
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
    });

    test("EX-05: a command that has timed out does nothing more", async () => {
      const grows = "while :; do echo x; done >> grows";
      await environment().sh(`trap "" TERM; ${grows} & ${grows}`, { timeout_ms: 300 });
      const size = "stat -c %s grows";
      const first = (await environment().sh(size)).stdout;
      await sleep(300);
      assert.equal((await environment().sh(size)).stdout, first);
    });

    test("EX-06: what was printed before a timeout is there", async () => {
      const { stdout, cause } = await environment().sh("seq 20; sleep 600", { timeout_ms: 300 });
      assert.equal(stdout.trim().split("\n").length, 20);
      assert.equal(cause, "timeout");
    });

    test("EX-06: what a command prints on its way out of a timeout is there", async () => {
      const { stdout, exitCode, cause } = await environment().sh(
        'trap "echo bye; exit 7" TERM; sleep 600 & wait',
        { timeout_ms: 300 },
      );
      assert.deepEqual(
        { stdout, exitCode, cause },
        { stdout: "bye\n", exitCode: 7, cause: "timeout" },
      );
    });

    test("EX-07: a quiet limit ends a command that prints nothing, and no other", async () => {
      const limits = { quiet_timeout_ms: 1_000, timeout_ms: 20_000 };
      const [busy, quiet] = await Promise.all([
        environment().sh("for i in 1 2 3 4 5 6 7 8; do sleep 0.2; echo $i; done", limits),
        environment().sh("sleep 600", limits),
      ]);
      assert.deepEqual([busy.exitCode, busy.cause], [0, "exited"]);
      assert.deepEqual([quiet.exitCode, quiet.cause], [143, "quiet-timeout"]);
    });

    test("LC-14: a limit stops the command, not only its result", async () => {
      await environment().sh("sleep 8; touch too-late", { timeout_ms: 200 });
      await sleep(8_500);
      assert.equal((await environment().sh("ls too-late")).stdout, "");
    });

    test("LC-14: at its limit a command has ended or timed out, never both", async () => {
      const script = `sleep 0.0${EDGE_MS - 10}`;
      const runs = await Promise.all(
        Array.from({ length: EDGE_RUNS }, () => environment().sh(script, { timeout_ms: EDGE_MS })),
      );
      const listed = new Map(
        (await environment().list()).map((one) => [one.process_id, one.state]),
      );
      for (const { process, exitCode, cause } of runs) {
        assert.ok(cause === "exited" ? exitCode === 0 : cause === "timeout");
        const state = listed.get(process.process_id);
        assert.equal(state?.kind, "closed");
        assert.deepEqual([state.exit_code, state.cause], [exitCode, cause]);
      }
    });

    for (const { script, ...expected } of ENDS) {
      test(`EX-14: "${script}" is told as ${expected.cause} with ${expected.exitCode}`, async () => {
        const { exitCode, cause } = await environment().sh(script);
        assert.deepEqual({ exitCode, cause }, expected);
      });
    }

    test("EX-14: a launcher killed from outside takes its command along, and is told", async () => {
      const marker = freshId();
      const running = await environment().startSh("echo up; sleep 600", { variables: { marker } });
      await environment().firstLine(running);
      const launchers = processesWith("echo up; sleep 600").filter(isLauncher);
      for (const pid of launchers) process.kill(pid, "SIGKILL");
      const { exitCode, cause, stdout } = await environment().readToEnd(running);
      assert.deepEqual(
        { exitCode, cause, stdout },
        { exitCode: 137, cause: "signalled", stdout: "up\n" },
      );
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
    });

    test("EX-14: what we ended is told as terminated, whatever its code", async () => {
      const trapped = await environment().startSh(
        'trap "exit 9" TERM; echo up; while :; do sleep 0.05; done',
      );
      await environment().firstLine(trapped);
      assert.equal(await environment().terminate(trapped, 10_000), true);
      const { exitCode, cause } = await environment().readToEnd(trapped);
      assert.deepEqual({ exitCode, cause }, { exitCode: 9, cause: "terminated" });
      assert.equal(await environment().terminate(trapped), false);
    });
  });
}

function isLauncher(pid: number): boolean {
  return argumentsOf(pid).includes("bwrap");
}

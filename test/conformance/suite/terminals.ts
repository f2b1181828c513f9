import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { follow, textOf } from "../../support/run.ts";

const RUNS = 60;
const AT_ONCE = 10;
const SIZE = { rows: 24, cols: 80 };

export function terminals(target: Target): void {
  describe("terminals", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);

    test(`PT-01: the last bytes of ${RUNS} terminals arrive, each after 200 KiB`, async () => {
      const script = "head -c 204800 /dev/zero | tr '\\0' x; printf END";
      for (let count = 0; count < RUNS; count += AT_ONCE) {
        const runs = Array.from({ length: AT_ONCE }, () => environment().sh(script, { tty: SIZE }));
        for (const { output } of await Promise.all(runs)) {
          assert.equal(output.length, 204_803);
          assert.ok(output.endsWith("END"));
        }
      }
    });

    test("PT-02: resizing while the process ends is answered, and harms nobody", async () => {
      for (let round = 0; round < 5; round += 1) {
        const process = await environment().startSh("sleep 0.05", { tty: SIZE });
        const { process_id } = process;
        let delivered = true;
        for (let cols = 80; delivered; cols = cols === 80 ? 81 : 80) {
          const params = { process_id, size: { rows: 24, cols } };
          ({ delivered } = await environment().call("outwork/process/resize", params));
        }
        const { exitCode } = await environment().readToEnd(process);
        assert.equal(exitCode, 0);
      }
    });

    test("PT-02: what has no terminal cannot be resized", async () => {
      const { process_id } = await environment().startSh("sleep 600", { stdin: "pipe" });
      const params = { process_id, size: SIZE };
      assert.deepEqual(await environment().call("outwork/process/resize", params), {
        delivered: false,
      });
      await environment().call("outwork/process/terminate", { process_id, grace_ms: 0 });
    });

    test("PT-04: a reader that pauses while the process ends misses nothing", async () => {
      const process = await environment().startSh("seq 20000", {
        tty: SIZE,
        back_pressure: "reader",
      });
      const events = [];
      for await (const event of follow(environment().agent, process.process_id)) {
        if (events.push(event) === 1) await sleep(500);
      }
      const lines = textOf(events).trim().split("\r\n");
      assert.deepEqual([lines.length, lines.at(-1)], [20_000, "20000"]);
    });

    test("PT-05: the end of a terminal is no error", async () => {
      const { output, exitCode, cause, events } = await environment().sh("echo done", {
        tty: SIZE,
      });
      assert.deepEqual(
        { output, exitCode, cause },
        { output: "done\r\n", exitCode: 0, cause: "exited" },
      );
      assert.deepEqual(
        events.slice(-2).map(({ type }) => type),
        ["exited", "closed"],
      );
    });

    test("PT-06: the size that was asked for is there from the first moment", async () => {
      const { output } = await environment().sh("stty size", { tty: { rows: 7, cols: 123 } });
      assert.equal(output, "7 123\r\n");
    });

    test("PT-06: a resize is felt, and is the new size", async () => {
      const process = await environment().startSh(
        'trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.02; done',
        { tty: SIZE },
      );
      await environment().firstLine(process);
      const params = { process_id: process.process_id, size: { rows: 40, cols: 132 } };
      await environment().call("outwork/process/resize", params);
      assert.equal((await environment().readToEnd(process)).output, "ready\r\n40 132\r\n");
    });

    test("PT-06: what is typed is echoed, and newlines gain a carriage return", async () => {
      const process = await environment().startSh('read line; echo "got $line"', { tty: SIZE });
      await environment().type(process, "a\tb\n");
      assert.equal((await environment().readToEnd(process)).output, "a\tb\r\ngot a\tb\r\n");
    });

    test("PT-06: Ctrl-D ends the input of a program, and leaves it its terminal", async () => {
      const process = await environment().startSh('cat; echo "after $?"; read x; echo "$x"', {
        tty: SIZE,
      });
      await environment().type(process, "one\n\x04");
      await environment().type(process, "two\n");
      const { output, exitCode } = await environment().readToEnd(process);
      assert.match(output, /after 0\r\n/);
      assert.match(output, /two\r\n$/);
      assert.equal(exitCode, 0);
    });

    test("PT-06: the end of input closes nothing but is Ctrl-D to the program", async () => {
      const process = await environment().startSh("cat; echo still here", { tty: SIZE });
      await environment().type(process, "one\n", true);
      assert.match((await environment().readToEnd(process)).output, /still here\r\n$/);
    });

    test("PT-06: Ctrl-C interrupts the program in front, and not the shell that traps it", async () => {
      const process = await environment().startSh(
        'trap "echo trapped" INT; echo ready; sleep 600; echo "after $?"',
        { tty: SIZE },
      );
      await environment().firstLine(process);
      await sleep(200);
      await environment().type(process, "\x03");
      const { output, exitCode } = await environment().readToEnd(process);
      assert.equal(output, "ready\r\n^Ctrapped\r\nafter 130\r\n");
      assert.equal(exitCode, 0);
    });

    test("a terminal is the process's controlling terminal, and its session is its own", async () => {
      const { output } = await environment().sh(
        "echo x > /dev/tty; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && cut -d' ' -f 5,6,8 /proc/self/stat; echo $$",
        { tty: SIZE },
      );
      const [tty, stat = "", pid = ""] = output.trim().split("\r\n");
      const [group, session, front] = stat.split(" ");
      assert.equal(tty, "x");
      assert.deepEqual([session, front], [pid, group]);
    });

    test("terminals are apart: none can be opened by another command", async () => {
      const process = await environment().startSh("tty; read x", { tty: SIZE });
      await environment().firstLine(process);
      const { stdout } = await environment().sh(
        "ls /dev/pts; [ -e /dev/console ] && echo console; true",
      );
      await environment().terminate(process);
      assert.equal(stdout, "ptmx\n");
    });
  });
}

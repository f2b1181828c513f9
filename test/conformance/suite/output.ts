import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { follow, patience } from "../../support/run.ts";

const SHORT_RUNS = 500;
const AT_ONCE = 50;
const MEBIBYTE = 1_048_576;

/** Prints to both streams in pieces of odd sizes, and exits at an odd moment. */
const RANDOM_WRITES = `perl -e '
  srand($ARGV[0]); $| = 1; select(STDERR); $| = 1;
  for (1 .. 60) {
    syswrite(rand() < 0.5 ? STDOUT : STDERR, "x" x (1 + rand(5000)));
    select(undef, undef, undef, rand(0.003)) if rand() < 0.2;
  }'`;

export function output(target: Target): void {
  describe("output", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);

    test("OU-03: every reader gets the same events in the same order, before and after the end", async () => {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const process = await environment().startSh(`${RANDOM_WRITES} ${seed}`);
        const [first, second] = await Promise.all([
          environment().readToEnd(process),
          environment().readToEnd(process),
        ]);
        const late = await environment().readToEnd(process);
        assert.deepEqual(first.events, second.events);
        assert.deepEqual(first.events, late.events);
      }
    });

    test("OU-03: the exit comes after all that was printed before it", async () => {
      const runs = await Promise.all(
        Array.from({ length: 30 }, () => environment().sh("seq 2000; seq 2000 >&2; exit 4")),
      );
      for (const { events } of runs) {
        const types = events.map(({ type }) => type);
        assert.deepEqual(types.slice(types.indexOf("exited")), ["exited", "closed"]);
      }
    });

    test("a reader goes on exactly where it or another has stopped", async () => {
      const process = await environment().sh("for i in $(seq 50); do echo $i; done");
      const { process_id } = process.process;
      for (const [index, event] of process.events.entries()) {
        const rest = [];
        for await (const next of follow(environment().agent, process_id, index)) rest.push(next);
        assert.deepEqual(rest[0], event);
        assert.equal(rest.length, process.events.length - index);
      }
    });

    test("OU-05: a child that prints for ever ends with its parent, and nothing piles up", async () => {
      const { events, exitCode } = await environment().sh("yes & echo $!; sleep 0.1; exit 0");
      const last = events.at(-1);
      assert.equal(exitCode, 0);
      assert.ok(last?.type === "closed" && last.total_bytes - last.dropped_bytes <= 2 * MEBIBYTE);
    });

    test(`OU-06: ${SHORT_RUNS} short commands lose none of their lines`, async () => {
      const printed: string[] = [];
      for (let count = 0; count < SHORT_RUNS; count += AT_ONCE) {
        const runs = Array.from({ length: AT_ONCE }, () => environment().run(["printf", "x"]));
        printed.push(...(await Promise.all(runs)).map(({ stdout }) => stdout));
      }
      assert.deepEqual(new Set(printed), new Set(["x"]));
      assert.equal(printed.length, SHORT_RUNS);
    });

    for (const [first, second] of [
      ["", ">&2"],
      [">&2", ""],
    ]) {
      test(`OU-11: a mebibyte ${second || "to stdout"} after one ${first || "to stdout"} blocks nobody`, async () => {
        const mebibyte = "head -c 1048576 /dev/zero";
        const { stdout, stderr } = await environment().sh(
          `${mebibyte} ${first}; ${mebibyte} ${second}`,
          { retained_bytes: 4 * MEBIBYTE },
        );
        assert.deepEqual([stdout.length, stderr.length], [MEBIBYTE, MEBIBYTE]);
      });
    }

    test("OU-12: one log keeps the end of both streams, so an error after a flood is whole", async () => {
      const { stderr, events, exitCode } = await environment().sh(
        "head -c 10485760 /dev/zero; sleep 0.2; printf %02048d 7 >&2; exit 1",
      );
      const last = events.at(-1);
      assert.equal(stderr, "7".padStart(2048, "0"));
      assert.equal(exitCode, 1);
      assert.ok(last?.type === "closed" && last.total_bytes === 10 * MEBIBYTE + 2048);
    });

    test("OU-12: what a late reader has missed is told to the byte", async () => {
      const process = await environment().startSh("seq 700000");
      let drained = process;
      while (drained.state.kind !== "closed") {
        drained = await environment().call("outwork/process/get", {
          process_id: process.process_id,
        });
      }
      const { events, stdout } = await environment().readToEnd(process);
      const whole = Array.from({ length: 700_000 }, (_, index) => `${index + 1}\n`).join("");
      const [first] = events;
      assert.ok(first?.type === "omitted");
      assert.equal(stdout, whole.slice(first.resume_offset));
      assert.equal(first.resume_offset, drained.output.dropped_bytes);
      assert.equal(stdout.length, drained.output.total_bytes - drained.output.dropped_bytes);
    });

    test("OU-14: a finished process is read by its id, by whoever asks, as often as he likes", async () => {
      const { process, events } = await environment().sh("echo kept; exit 5");
      for (let reading = 0; reading < 3; reading += 1) {
        assert.deepEqual((await environment().readToEnd(process)).events, events);
      }
    });

    test("OU-15: reading to the end is reading to closed, which has every line", async () => {
      const runs = await Promise.all(
        Array.from({ length: 20 }, () => environment().sh("seq 300 & seq 300; wait")),
      );
      for (const { stdout, events } of runs) {
        assert.equal(stdout.trim().split("\n").length, 600);
        assert.equal(events.at(-1)?.type, "closed");
      }
    });

    test("bytes are passed on untouched, whatever they are", async () => {
      const { events } = await environment().sh("perl -e 'print map chr, 0 .. 255'");
      const bytes = Buffer.concat(
        events.flatMap((event) => (event.type === "output" ? [event.bytes] : [])),
      );
      assert.deepEqual(
        [...bytes],
        Array.from({ length: 256 }, (_, byte) => byte),
      );
    });

    test("a process that there never was has no output", async () => {
      const params = { process_id: "never", after_seq: 0 };
      await assert.rejects(environment().agent.read("outwork/process/output", params, patience()), {
        code: "process-not-found",
      });
    });
  });
}

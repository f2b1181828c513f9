import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ToolResult } from "../../../src/contract/tools.ts";
import { eventually, processesWith } from "../../support/host-processes.ts";
import { freshId, launch, type Target, useEnvironment } from "../../support/placement-target.ts";

const STDIN_CLOSED =
  "write_stdin failed: stdin is closed for this session; rerun exec_command with tty=true to keep stdin open";
const SOON = { yield_time_ms: 250 };
const LIMIT = 64;

export function toolSessions(target: Target): void {
  describe("tool sessions", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);
    const open = async (cmd: string, tty = false) =>
      idOf(await environment().exec({ cmd, tty, login: false, ...SOON }));
    const type = (session_id: number, chars: string) =>
      environment().write({ session_id, chars, ...SOON });

    test("begin where a command outlives its wait, and say nothing twice", async () => {
      const first = await environment().exec({
        cmd: "echo one; sleep 1; echo two; exit 3",
        ...SOON,
      });
      const session_id = idOf(first);
      assert.ok(session_id >= 1_000 && session_id < 100_000);
      assert.equal(first.output, "one\n");
      const rest = await environment().write({ session_id, yield_time_ms: 10_000 });
      assert.deepEqual([rest.output, rest.exit_code, rest.session_id], ["two\n", 3, undefined]);
      await assert.rejects(environment().write({ session_id }), {
        code: "tool-failed",
        message: `write_stdin failed: Unknown process id ${session_id}`,
      });
    });

    test("that never were are unknown, with or without text", async () => {
      for (const chars of ["", "x", "\x03"]) {
        await assert.rejects(environment().write({ session_id: -7, chars }), {
          message: "write_stdin failed: Unknown process id -7",
        });
      }
    });

    test("a command that goes on printing is answered at the end of its wait, not before", async () => {
      const result = await environment().exec({
        cmd: "while :; do echo x; sleep 0.05; done",
        yield_time_ms: 600,
      });
      assert.ok(result.wall_time_seconds >= 0.6);
      assert.ok(result.output.split("\n").length > 3);
      await type(idOf(result), "\x03");
    });

    test("on a terminal take text, and answer with what it makes", async () => {
      const id = await open("cat", true);
      assert.equal((await type(id, "hello\n")).output, "hello\r\nhello\r\n");
      assert.equal((await type(id, "again\n")).output, "again\r\nagain\r\n");
      const end = await type(id, "\x04");
      assert.deepEqual([end.exit_code, end.output], [0, ""]);
    });

    test("of a shell are ended by its own exit", async () => {
      const id = await open("exec sh", true);
      const { exit_code, output } = await type(id, "exit 9\n");
      assert.equal(exit_code, 9);
      assert.match(output, /exit 9/);
    });

    test("through pipes take no text, and say how to get one that does", async () => {
      const id = await open("sleep 600");
      for (const chars of ["x", "\n", "\x04", "\x03\x03", "\x03\n"]) {
        await assert.rejects(type(id, chars), { code: "tool-failed", message: STDIN_CLOSED });
      }
      assert.equal((await type(id, "\x03")).exit_code, 130);
    });

    test("Ctrl-C on a terminal is echoed, and a death by it is told as 1", async () => {
      const id = await open("cat", true);
      const { output, exit_code } = await type(id, "\x03");
      assert.deepEqual({ output, exit_code }, { output: "^C", exit_code: 1 });
    });

    test("Ctrl-C through pipes reaches the whole group, and a trap answers it", async () => {
      const trapped = await open('trap "echo caught; exit 5" INT; sleep 600 & wait');
      const { output, exit_code } = await type(trapped, "\x03");
      assert.deepEqual({ output, exit_code }, { output: "caught\n", exit_code: 5 });
    });

    test("Ctrl-C that is ignored or survived leaves the session as it was", async () => {
      const ignoring = await open('trap "" INT; while :; do sleep 0.1; done');
      assert.equal((await type(ignoring, "\x03")).session_id, ignoring);
      const surviving = await open('trap "echo still here" INT; while :; do sleep 0.1; done');
      const { output, session_id } = await type(surviving, "\x03");
      assert.deepEqual({ output, session_id }, { output: "still here\n", session_id: surviving });
    });

    test("end with the main process: its children are killed unheard, sessions of their own or not", async () => {
      const marker = freshId();
      const trap = `trap "touch ${marker}" TERM HUP; sleep 600 & wait`;
      const cmd = `(${trap}) & setsid sh -c '${trap}' & nohup sleep 600 & echo up # ${marker}`;
      const { exit_code } = await environment().exec({ cmd });
      assert.equal(exit_code, 0);
      await eventually("all of it is gone", () => processesWith(marker).length === 0);
      assert.equal((await environment().sh(`ls ${marker}`)).stdout, "");
    });

    test("what is left of an ended one is told once, by whichever call sees its end", async () => {
      const id = await open("sleep 0.5; echo late; exit 4");
      const answers = await Promise.allSettled(
        [1, 2, 3].map(() => environment().write({ session_id: id })),
      );
      const told = answers.flatMap((answer) =>
        answer.status === "fulfilled" ? [answer.value] : [],
      );
      assert.equal(told.length, 1);
      assert.deepEqual([told[0]?.output, told[0]?.exit_code], ["late\n", 4]);
    });

    test(`more than ${LIMIT} make room: the one used least goes, and is killed`, async () => {
      await using crowded = await launch(target);
      const start = async (marker: string) =>
        idOf(await crowded.exec({ cmd: `sleep 600 # ${marker}`, login: false, ...SOON }));
      const markers = Array.from({ length: LIMIT }, () => freshId());
      const ids: number[] = [];
      for (const marker of markers) ids.push(await start(marker));
      const [first = 0, second = 0] = ids;
      await assert.rejects(crowded.write({ session_id: first, chars: "used" }));
      await start(freshId());
      await eventually("the second is gone", () => processesWith(markers[1] ?? "").length === 0);
      await assert.rejects(crowded.write({ session_id: second }), {
        message: `write_stdin failed: Unknown process id ${second}`,
      });
      assert.ok(processesWith(markers[0] ?? "").length > 0);
      assert.equal(new Set(ids).size, LIMIT);
    });
  });
}

function idOf({ session_id }: ToolResult): number {
  assert.ok(session_id !== undefined);
  return session_id;
}

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { freshId, type Target, useEnvironment } from "../../support/placement-target.ts";

const MEGABYTE = 1_048_576;

export function standardInput(target: Target): void {
  describe("standard input", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);

    test("EX-11: is at its end at once unless the start says otherwise", async () => {
      const { stdout, exitCode } = await environment().sh(
        'cat; read x || echo "read: $?"; wc -c; readlink /proc/self/fd/0',
      );
      assert.deepEqual({ stdout, exitCode }, { stdout: "read: 1\n0\n/dev/null\n", exitCode: 0 });
    });

    test("EX-11: a pipe stays open until it is ended", async () => {
      const process = await environment().start(["cat"], { stdin: "pipe" });
      assert.deepEqual(await environment().type(process, "one\n"), { status: "accepted" });
      assert.equal(await environment().firstLine(process), "one");
      await environment().type(process, "two\n", true);
      const { stdout, exitCode } = await environment().readToEnd(process);
      assert.deepEqual({ stdout, exitCode }, { stdout: "one\ntwo\n", exitCode: 0 });
    });

    test("EX-11: a megabyte arrives whole", async () => {
      const bytes = randomBytes(MEGABYTE).toString("base64");
      const process = await environment().start(["sha256sum"], { stdin: "pipe" });
      await environment().type(process, bytes, true);
      const { stdout } = await environment().readToEnd(process);
      assert.equal(stdout.slice(0, 64), createHash("sha256").update(bytes).digest("hex"));
    });

    test("EX-12: after its end, or the process's, it is closed", async () => {
      const process = await environment().start(["cat"], { stdin: "pipe" });
      await environment().type(process, "", true);
      assert.deepEqual(await environment().type(process, "late"), { status: "stdin-closed" });
      await environment().readToEnd(process);
      assert.deepEqual(await environment().type(process, "later"), { status: "stdin-closed" });
    });

    test("EX-12: of a process that was started without, it is closed", async () => {
      const process = await environment().startSh("sleep 600");
      assert.deepEqual(await environment().type(process, "x"), { status: "stdin-closed" });
      await environment().terminate(process);
    });

    test("EX-12: of a process that never was, there is none", async () => {
      const params = { process_id: freshId(), write_id: "1", chunk: "", end: false };
      await assert.rejects(environment().call("outwork/process/stdin", params), {
        code: "process-not-found",
      });
    });

    test("EX-12: a repeated write is written once", async () => {
      const process = await environment().start(["cat"], { stdin: "pipe" });
      const params = {
        process_id: process.process_id,
        write_id: "same",
        chunk: "eA==",
        end: false,
      };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => environment().call("outwork/process/stdin", params)),
      );
      assert.deepEqual(answers, Array(5).fill({ status: "accepted" }));
      await environment().type(process, "", true);
      assert.equal((await environment().readToEnd(process)).stdout, "x");
    });

    test("EX-12: a write beside the start of its process is made whole or not at all", async () => {
      const processId = freshId();
      const starting = environment().start(["cat"], { process_id: processId, stdin: "pipe" });
      const params = { process_id: processId, write_id: "early", chunk: "eA==", end: false };
      const early = await environment()
        .call("outwork/process/stdin", params)
        .catch((error: { code: string }) => ({ status: error.code }));
      const process = await starting;
      await environment().type(process, "y", true);
      const { stdout } = await environment().readToEnd(process);
      const made = { accepted: "xy", "process-not-found": "y" }[early.status as "accepted"];
      assert.equal(stdout, made);
    });

    test("EX-09: a write that nobody takes holds up nothing else, and ends with its process", async () => {
      const process = await environment().startSh("sleep 600", { stdin: "pipe" });
      const stuck = environment().type(process, "x".repeat(MEGABYTE));
      assert.ok((await environment().list()).length > 0);
      assert.equal((await environment().sh("echo ok")).stdout, "ok\n");
      await environment().terminate(process);
      assert.deepEqual(await stuck, { status: "stdin-closed" });
    });
  });
}

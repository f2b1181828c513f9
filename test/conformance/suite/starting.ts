import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { freshId, launch, type Target, useEnvironment } from "../../support/placement-target.ts";

/** Scripts that break whoever splices them into one of his own. */
const SCRIPTS = {
  "a heredoc": ["cat <<EOF\none\ntwo\nEOF", "one\ntwo\n"],
  "a heredoc without its last newline": ["cat <<'E F'\n$x\nE F", "$x\n"],
  "a backslash at the end": ["echo one \\\n", "one\n"],
  "a comment at the end": ["echo one # done", "one\n"],
  "an unfinished heredoc": ["cat <<EOF\nonly", "only"],
  quotes: [`printf %s "it's" '"'`, `it's"`],
} as const;

/** Bytes that must arrive as they are. */
const VALUES = {
  QUOTES: `'"\``,
  NEWLINES: "one\ntwo\n",
  DOLLAR: "$HOME $(id) \\",
  EMPTY: "",
  WIDE: "żółć 文 😀",
  LONG: randomBytes(50 * 1024).toString("hex"),
};

const TOO_LONG = "x".repeat(131_072);

/** Starts that fail, and how. */
const FAILURES = [
  { argv: ["no-such-program"], kind: "program-not-found", path: "no-such-program" },
  { argv: ["/no/such/program"], kind: "program-not-found", path: "/no/such/program" },
  { argv: ["./plain"], kind: "program-not-executable", path: "/workspace/plain" },
  { argv: ["/workspace/folder"], kind: "program-not-executable", path: "/workspace/folder" },
  {
    argv: ["./bad-interpreter"],
    kind: "interpreter-not-found",
    path: "/workspace/bad-interpreter",
  },
  { argv: ["true"], cwd: "/workspace/nowhere", kind: "cwd-not-found", path: "/workspace/nowhere" },
  {
    argv: ["true"],
    cwd: "/workspace/plain",
    kind: "cwd-not-a-directory",
    path: "/workspace/plain",
  },
  {
    argv: ["true"],
    cwd: "/workspace/locked/in",
    kind: "cwd-not-accessible",
    path: "/workspace/locked/in",
  },
  { argv: ["true", TOO_LONG], kind: "arguments-too-long", path: "true" },
] as const;

export function starting(target: Target): void {
  describe("starting", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);

    for (const [what, [script, printed]] of Object.entries(SCRIPTS)) {
      test(`EX-08: ${what} reaches the shell as it was written`, async () => {
        assert.equal((await environment().sh(script)).stdout, printed);
        assert.ok((await environment().exec({ cmd: script })).output.includes(printed));
      });
    }

    test("EX-09: a command that waits for ever holds up no other, no list and no end", async () => {
      const stuck = await environment().start(["cat"], { stdin: "pipe" });
      assert.equal((await environment().sh("echo ok")).stdout, "ok\n");
      const states = (await environment().list()).filter(
        (one) => one.process_id === stuck.process_id,
      );
      assert.deepEqual(
        states.map(({ state }) => state),
        [{ kind: "running" }],
      );
      assert.equal(await environment().terminate(stuck), true);
    });

    test("EX-10: variables arrive byte for byte, of a command and of an environment", async () => {
      const script = Object.keys(VALUES).map((name) => `printf '%s\\0' "$${name}"`);
      const printed = `${Object.values(VALUES).join("\0")}\0`;
      const start = await environment().sh(script.join(";"), { variables: VALUES });
      await using own = await launch(target, { variables: VALUES });
      const environments = await own.sh(script.join(";"));
      assert.equal(start.stdout, printed);
      assert.equal(environments.stdout, printed);
    });

    test("EX-15: five processes are found again by whoever has forgotten them", async () => {
      await using fresh = await launch(target);
      const argvs = [1, 2, 3, 4, 5].map((count) => ["sh", "-c", `seq ${count}; sleep 600`]);
      const started = await Promise.all(argvs.map((argv) => fresh.start(argv)));
      await Promise.all(started.map((process) => fresh.firstLine(process)));
      const listed = [...(await fresh.list())].sort(
        (one, other) => one.output.total_bytes - other.output.total_bytes,
      );
      assert.deepEqual(
        listed.map(({ argv, state, cwd, tty, output }) => ({
          argv,
          state,
          cwd,
          tty,
          bytes: output.total_bytes,
        })),
        argvs.map((argv, index) => ({
          argv,
          state: { kind: "running" },
          cwd: "/workspace",
          tty: false,
          bytes: 2 * (index + 1),
        })),
      );
      for (const { started_at } of listed) assert.ok(Date.parse(started_at) <= Date.now());
    });

    for (const { argv, kind, path, ...options } of FAILURES) {
      test(`EX-17: ${kind} is what ${argv[0]} in ${"cwd" in options ? options.cwd : "the workspace"} is refused as`, async () => {
        await environment().sh(`[ -e plain ] || { echo x > plain; mkdir -p folder locked/in
          printf '#!/no/such/shell\\n' > bad-interpreter; chmod +x bad-interpreter; chmod 000 locked; }`);
        const refused = environment().start(argv, options);
        await assert.rejects(refused, (error: { code: string; facts: object; message: string }) => {
          assert.equal(error.code, "start-failed");
          assert.deepEqual({ ...error.facts }, { kind, path });
          assert.ok(error.message.includes(path));
          return true;
        });
      });
    }

    test("EX-17: a program's own 126 and 127 are exit codes, and no failed start", async () => {
      const codes = await Promise.all(
        ["exit 126", "exit 127", "no-such-program"].map(
          async (script) => (await environment().sh(script)).exitCode,
        ),
      );
      assert.deepEqual(codes, [126, 127, 127]);
    });

    test("a relative program is looked for in the folder that the command runs in", async () => {
      await environment().sh(
        "mkdir -p tools && printf '#!/bin/sh\\npwd\\n' > tools/here && chmod +x tools/here",
      );
      const { stdout } = await environment().run(["./here"], { cwd: "/workspace/tools" });
      assert.equal(stdout, "/workspace/tools\n");
    });

    test("the same id with the same request is the same process, with another a conflict", async () => {
      const id = freshId();
      const script = `echo started >> ${id}`;
      const starts = await Promise.all(
        Array.from({ length: 5 }, () => environment().startSh(script, { process_id: id })),
      );
      await environment().readToEnd(starts[0] ?? assert.fail());
      const again = await environment().startSh(script, { process_id: id });
      assert.equal(again.state.kind, "closed");
      assert.equal((await environment().sh(`cat ${id}`)).stdout, "started\n");
      await assert.rejects(environment().startSh("true", { process_id: id }), {
        code: "process-conflict",
      });
    });

    test("an id whose start failed is free", async () => {
      const process_id = freshId();
      await assert.rejects(environment().start(["no-such-program"], { process_id }));
      assert.equal((await environment().sh("echo ok", { process_id })).stdout, "ok\n");
    });
  });
}

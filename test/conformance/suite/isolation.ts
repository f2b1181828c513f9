import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { argumentsOf, processesWith } from "../../support/host-processes.ts";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { READ_ONLY } from "../../support/policies.ts";

/** A library that does not exist: whoever heeds the variable complains. */
const PRELOAD = { LD_PRELOAD: "/workspace/not-there.so" };

export function isolation(target: Target): void {
  describe("isolation", () => {
    const environment = useEnvironment(target);

    test("a command has no capability, may gain none, and is no root", async () => {
      const { stdout } = await environment().sh(
        'grep -E "^(Cap|NoNewPrivs)" /proc/self/status | tr -d "\\t"; id -u',
      );
      const none = "0000000000000000";
      const lines = stdout.trim().split("\n");
      const uid = Number(lines.pop());
      assert.deepEqual(lines, [
        ...["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((set) => `${set}:${none}`),
        "NoNewPrivs:1",
      ]);
      assert.ok(uid > 0);
    });

    test("a command sees no process but its own", async () => {
      const other = await environment().startSh("sleep 30");
      const { stdout } = await environment().sh('cd /proc && cat [0-9]*/cmdline | tr "\\0" " "');
      await environment().terminate(other);
      assert.ok(!stdout.includes("sleep"));
      assert.ok(!stdout.includes("agent.cjs"));
    });

    test("a command cannot make namespaces or mounts", async () => {
      const { stdout } = await environment().sh(`
        unshare -U true 2>/dev/null && echo user
        unshare -r -m true 2>/dev/null && echo mount
        mount -t tmpfs none /tmp 2>/dev/null && echo tmpfs
        mount -o remount,rw / 2>/dev/null && echo remount
        mount --bind /workspace /etc 2>/dev/null && echo bind
        umount /proc 2>/dev/null && echo umount
        chroot /workspace true 2>/dev/null && echo chroot
        true`);
      assert.equal(stdout, "");
    });

    test("a command cannot change the kernel's settings", async () => {
      const { stdout } = await environment().sh(`
        for file in kernel/core_pattern kernel/hostname vm/overcommit_memory fs/file-max; do
          (cat /proc/sys/$file > /proc/sys/$file) 2>/dev/null && echo $file
        done
        (echo b > /proc/sysrq-trigger) 2>/dev/null && echo sysrq
        true`);
      assert.equal(stdout, "");
    });

    test("the agent's folder shows a command its programs and nothing else", async () => {
      const { stdout } = await environment().sh("ls -A /.outwork; find /.outwork -type s");
      assert.equal(stdout, "bin\n");
    });

    test("no socket, configuration or state of the agent is anywhere in sight", async () => {
      const { stdout } = await environment().sh(
        "find / -xdev \\( -name 'agent.sock' -o -name 'agent.json' -o -name 'agent-record.json' \\) 2>/dev/null; find / -name '*.sock' -type s 2>/dev/null",
      );
      assert.equal(stdout, "");
    });

    test("no descriptor but the three streams is open, while terminals and pipes are", async () => {
      const tty = await environment().startSh("sleep 30", { tty: { rows: 24, cols: 80 } });
      const piped = await environment().startSh("sleep 30", { stdin: "pipe" });
      const { stdout } = await environment().sh(
        'for fd in /proc/self/fd/*; do to=$(readlink $fd) && [ "$to" != /dev/null ] && basename "$fd"; done; true',
      );
      await Promise.all([tty, piped].map((process) => environment().terminate(process)));
      assert.deepEqual(
        stdout.split("\n").filter((fd) => Number(fd) > 2),
        [],
      );
    });

    test("ES-05: nothing of the service's own environment reaches a command", async () => {
      process.env.OUTWORK_CANARY = "canary";
      await using fresh = await launch(target);
      const { stdout } = await fresh.sh("env; cat /proc/*/environ");
      delete process.env.OUTWORK_CANARY;
      assert.ok(!stdout.toLowerCase().includes("canary"));
    });

    test("ES-05: what the caller says wins over the environment's own variables", async () => {
      await using fresh = await launch(target, { variables: { A: "theirs", B: "theirs" } });
      const { stdout } = await fresh.sh('echo "$A $B"', { variables: { A: "mine" } });
      assert.equal(stdout, "mine theirs\n");
    });

    test("a loader variable reaches the command and not its launcher", async () => {
      const { stderr, exitCode } = await environment().run(["/bin/true"], { variables: PRELOAD });
      assert.equal(stderr.match(/not-there\.so/g)?.length, 1);
      assert.equal(exitCode, 0);
    });

    test("an environment's loader and Node variables do not reach the agent's helpers", async () => {
      const NODE_OPTIONS = "--require=/workspace/evil.cjs";
      await using fresh = await launch(target, { variables: { ...PRELOAD, NODE_OPTIONS } });
      await fresh.sh(
        `echo 'require("fs").writeFileSync("/workspace/.git", "owned")' > /workspace/evil.cjs`,
      );
      await fresh.put("/workspace", [{ name: "file", content: "x" }]);
      const names = (await fresh.get("/workspace")).map(({ name }) => name);
      assert.deepEqual(names, ["evil.cjs", "file"]);
    });

    test("ES-10: a hostile PATH does not choose what the launcher is", async () => {
      await environment().sh(`mkdir -p bin && for name in bwrap setsid node sh; do
        printf '#!/bin/sh\\necho hostile %s\\n' "$name" > bin/$name; chmod +x bin/$name; done`);
      const variables = { PATH: "/workspace/bin" };
      const plain = await environment().run(["/bin/echo", "plain"], { variables });
      const tty = { rows: 24, cols: 80 };
      const terminal = await environment().run(["/bin/echo", "plain"], { variables, tty });
      assert.deepEqual([plain.output, terminal.output], ["plain\n", "plain\r\n"]);
    });

    test("ES-10: an empty PATH finds nothing but what has a path", async () => {
      const variables = { PATH: "" };
      assert.equal((await environment().run(["/bin/echo", "x"], { variables })).stdout, "x\n");
      await assert.rejects(environment().run(["echo", "x"], { variables, cwd: "/workspace" }), {
        code: "start-failed",
      });
    });

    test("a command's variables are in no argument list of this machine", async () => {
      const secret = "c5bb1d8f-very-secret";
      const process = await environment().startSh("sleep 30", { variables: { TOKEN: secret } });
      const others = await environment().sh("cat /proc/*/environ");
      const seen = processesWith(secret).map(argumentsOf);
      await environment().terminate(process);
      assert.ok(seen.length > 0);
      assert.deepEqual(
        [others.stdout, ...seen].filter((text) => text.includes(secret)),
        [],
      );
    });

    test("the private temporary folder of one command is not another's", async () => {
      const first = await environment().startSh("echo x > /dev/shm/mine; sleep 30");
      const { stdout } = await environment().sh("ls -A /dev/shm", { policy: READ_ONLY });
      await environment().terminate(first);
      assert.equal(stdout, "");
    });
  });
}

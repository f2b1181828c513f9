import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import { WORKSPACE_WRITE, withNetwork } from "../../support/policies.ts";
import { patience } from "../../support/run.ts";

const MISSING_FOLDER =
  'exec_command failed: CreateProcess { message: "Rejected(\\"Failed to create unified exec process: No such file or directory (os error 2)\\")" }';

/** What runs when a shell is named, and how. */
const SHELLS = [
  { asked: {}, ran: /^\/(usr\/)?bin\/bash login$/ },
  { asked: { login: false }, ran: /^\/(usr\/)?bin\/bash plain$/ },
  { asked: { shell: "bash" }, ran: /^\/(usr\/)?bin\/bash login$/ },
  { asked: { shell: "/nonexistent/bash" }, ran: /^\/(usr\/)?bin\/bash login$/ },
  { asked: { shell: "sh" }, ran: /^\/(usr\/)?bin\/sh / },
  { asked: { shell: "fish" }, ran: /^\/(usr\/)?bin\/sh / },
  { asked: { shell: "" }, ran: /^\/(usr\/)?bin\/sh / },
];
const WHICH_SHELL = 'echo "$0 $(shopt -q login_shell 2> /dev/null && echo login || echo plain)"';

const FIXED = {
  NO_COLOR: "1",
  TERM: "dumb",
  LANG: "C.UTF-8",
  LC_CTYPE: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  COLORTERM: "",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  CODEX_CI: "1",
};

/** How commands end, through pipes and on a terminal. */
const ENDS = [
  { cmd: "", piped: 0, terminal: 0 },
  { cmd: "exit 300", piped: 44, terminal: 44 },
  { cmd: "exit -1", piped: 255, terminal: 255 },
  { cmd: "kill -9 $$", piped: 137, terminal: 1 },
  { cmd: "kill -15 $$", piped: 143, terminal: 1 },
  { cmd: "no-such-program 2> /dev/null", piped: 127, terminal: 127 },
];

export function execCommand(target: Target): void {
  describe("exec_command", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);
    const say = async (cmd: string, more: object = {}) =>
      (await environment().exec({ cmd, ...more })).output;

    for (const { asked, ran } of SHELLS) {
      test(`with ${JSON.stringify(asked)} runs ${ran}`, async () => {
        assert.match((await say(WHICH_SHELL, asked)).trim(), ran);
      });
    }

    test("runs in the workspace, or in a folder relative to it, or where it is told", async () => {
      await environment().sh("mkdir -p sub/deep '~'");
      const folders = [undefined, null, "", "sub", "sub/deep/..", "./sub/./deep", "/usr", "~"];
      const printed = await Promise.all(folders.map((workdir) => say("pwd", { workdir })));
      assert.deepEqual(printed, [
        ...Array(3).fill("/workspace\n"),
        ...["/workspace/sub\n", "/workspace/sub\n", "/workspace/sub/deep\n", "/usr\n"],
        "/workspace/~\n",
      ]);
    });

    for (const workdir of ["nowhere", "/nowhere", "file", "file/below"]) {
      test(`in ${workdir}, which is no folder, is refused in the words that models know`, async () => {
        await environment().sh("touch file");
        await assert.rejects(environment().exec({ cmd: "touch ran", workdir }), {
          code: "tool-failed",
          message: MISSING_FOLDER,
        });
      });
    }

    for (const tty of [false, true]) {
      test(`sets what keeps programs plain, ${tty ? "on a terminal" : "through pipes"} too`, async () => {
        const names = Object.keys(FIXED);
        const script = names.map((name) => `printf '%s|' "$${name}"`).join("\n");
        assert.equal(
          await say(script, { tty, login: false }),
          `${Object.values(FIXED).join("|")}|`,
        );
      });
    }

    test("says that the network is off where it is, and only there", async () => {
      const cmd = 'echo "$CODEX_SANDBOX_NETWORK_DISABLED"';
      await using open = await launch(target, { policy: withNetwork(WORKSPACE_WRITE) });
      const policy = WORKSPACE_WRITE;
      const said = [
        await say(cmd),
        (await open.exec({ cmd })).output,
        (await open.exec({ cmd, policy })).output,
      ];
      assert.deepEqual(said, ["1\n", "\n", "1\n"]);
    });

    test("offers ripgrep, whatever a login shell makes of PATH", async () => {
      for (const login of [true, false])
        assert.match(await say("rg --version", { login }), /^ripgrep/);
    });

    test("gives no input through pipes, and a terminal of 24 rows and 80 columns else", async () => {
      assert.equal(await say("cat; readlink /proc/self/fd/0"), "/dev/null\n");
      assert.equal(await say("stty size; [ -t 0 ] && echo yes", { tty: true }), "24 80\r\nyes\r\n");
    });

    test("tells every end as shells do, and a death on a terminal as 1", async () => {
      const told = await Promise.all(
        ENDS.map(async ({ cmd }) => ({
          cmd,
          piped: (await environment().exec({ cmd })).exit_code,
          terminal: (await environment().exec({ cmd, tty: true })).exit_code,
        })),
      );
      assert.deepEqual(told, ENDS);
    });

    test("merges both streams in order of arrival, and mends what is no UTF-8", async () => {
      assert.equal(await say("echo a; sleep 0.5; echo b >&2; sleep 0.5; echo c"), "a\nb\nc\n");
      assert.equal(await say("printf '\\377\\0\\303\\244'"), "\uFFFD\0ä");
    });

    test("starts its clock after the grace in which quick commands end", async () => {
      const begin = performance.now();
      const { wall_time_seconds } = await environment().exec({ cmd: "sleep 1", login: false });
      const seconds = (performance.now() - begin) / 1000;
      assert.ok(wall_time_seconds > 0.5, `${wall_time_seconds}`);
      assert.ok(seconds - wall_time_seconds >= 0.15, `${wall_time_seconds} of ${seconds}`);
    });

    test("answers when the command has ended, whatever it left behind", async () => {
      const { output, exit_code } = await environment().exec({ cmd: "sleep 600 & echo bg" });
      assert.deepEqual({ output, exit_code }, { output: "bg\n", exit_code: 0 });
    });

    test("drops the middle of more than a mebibyte, and says to the byte how much", async () => {
      const cmd = "head -c 1048584 /dev/zero | tr '\\0' a";
      const result = await environment().exec({ cmd, max_output_tokens: 1 });
      assert.equal(
        result.output,
        "Warning: truncated output (original token count: 262146)\n... 8 bytes omitted ...\n\naa…262150 tokens truncated…aa",
      );
      assert.equal(result.original_token_count, 262_146);
    });

    test("gives up waiting with its caller, and the command goes on", async () => {
      const leaving = new AbortController();
      const params = { cmd: "sleep 0.6; touch went-on", yield_time_ms: 30_000 };
      const call = environment().agent.call("outwork/exec_command", params, leaving);
      setTimeout(() => leaving.abort(), 300);
      await assert.rejects(call, { name: "AbortError" });
      let found = "";
      while (found === "") {
        patience().signal.throwIfAborted();
        found = (await environment().sh("ls went-on 2> /dev/null")).stdout;
      }
      assert.equal(found, "went-on\n");
    });
  });
}

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { cliResult, runCli, startCli } from "../support/outwork-cli.ts";
import { Served } from "../support/served.ts";
import { onTerminal } from "../support/terminal.ts";
import { readTree, sha256, temporaryFolder } from "../support/tree.ts";
import { agentLoop, type Item } from "./agent-loop.ts";

/** The real service with one environment, `demo`, and command lines that find it. */
async function demo(t: TestContext) {
  const served = await Served.start(t);
  const { variables } = served;
  const outwork = (args: readonly string[], input?: string) =>
    runCli(args, { variables, ...(input === undefined ? {} : { input }) });
  assert.deepEqual(await outwork(["env", "create", "--id", "demo"]), {
    code: 0,
    stdout: "demo\n",
    stderr: "",
  });
  return { served, variables, outwork };
}

test("a command's streams, input, folder, variables and exit code are its own", async (t) => {
  const { outwork } = await demo(t);
  const script = 'pwd; echo "$A"; cat; echo err >&2; exit 7';
  const args = ["exec", "-i", "-w", "/tmp", "-e", "A=x y", "demo", "--", "sh", "-c", script];
  assert.deepEqual(await outwork(args, "in\n"), {
    code: 7,
    stdout: "/tmp\nx y\nin\n",
    stderr: "err\n",
  });
});

test("OU-15: a large output comes out whole before exec ends", async (t) => {
  const { outwork } = await demo(t);
  const script = "yes 0123456789abcde | head -c 20000000";
  const { code, stdout } = await outwork(["exec", "demo", "--", "sh", "-c", script]);
  const wanted = "0123456789abcde\n".repeat(1_250_000);
  assert.deepEqual({ code, sum: sha256(stdout) }, { code: 0, sum: sha256(wanted) });
});

test("OU-13: exec survives a service that is killed and started again", async (t) => {
  const { served, variables } = await demo(t);
  const script = "for n in 1 2 3 4 5 6; do echo $n; sleep 0.5; done; exit 9";
  const child = startCli(["exec", "demo", "--", "sh", "-c", script], variables);
  const result = cliResult(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  await served.kill();
  await served.restart();
  assert.deepEqual(await result, { code: 9, stdout: "1\n2\n3\n4\n5\n6\n", stderr: "" });
});

test("an interrupt reaches the command, and a second one ends it", async (t) => {
  const { outwork, variables } = await demo(t);
  const script = "trap 'echo again' INT; echo ready; while :; do sleep 0.1; done";
  const child = startCli(["exec", "demo", "--id", "p1", "--", "sh", "-c", script], variables);
  const said: string[] = [];
  let look = () => {};
  child.stdout?.on("data", (text) => {
    said.push(String(text));
    look();
  });
  const saying = (text: string) =>
    new Promise<void>((resolve) => {
      look = () => said.join("").includes(text) && resolve();
      look();
    });
  const result = cliResult(child);
  await saying("ready\n");
  child.kill("SIGINT");
  await saying("again\n");
  child.kill("SIGINT");
  assert.equal((await result).code, 143);
  const { stdout } = await outwork(["ps", "demo", "--json"]);
  const [process] = JSON.parse(stdout).processes;
  assert.deepEqual([process.process_id, process.state.cause], ["p1", "terminated"]);
});

test("PT-06: a shell on a terminal has our size, our keys and its own exit code", async (t) => {
  const { variables } = await demo(t);
  const shell = ["exec", "-it", "-e", "PS1=ready$ ", "demo", "--", "bash", "--norc"];
  const { pty, ended, showing } = onTerminal(t, shell, variables);
  await showing("ready$ ");
  pty.write("stty size\r");
  await showing("30 100");
  pty.resize(120, 40);
  pty.write("sleep 1; stty size\r");
  await showing("40 120");
  pty.write("sleep 100\r");
  await showing("sleep 100\r\n");
  pty.write("\x03");
  await showing(/\^C/);
  pty.write("echo $((6 * 7))\r");
  await showing("42");
  pty.write("exit 5\r");
  assert.equal(await ended, 5);
});

test("EX-12: input for a command that does not read it is no failure", async (t) => {
  const { outwork } = await demo(t);
  const input = "x".repeat(1_000_000);
  assert.deepEqual(await outwork(["exec", "-i", "demo", "--", "true"], input), {
    code: 0,
    stdout: "",
    stderr: "",
  });
});

test("files go in and come out as they are", async (t) => {
  const { outwork } = await demo(t);
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, "app", "empty"), { recursive: true });
  await writeFile(join(folder, "app", "run.sh"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
  const done = { code: 0, stdout: "", stderr: "" };
  assert.deepEqual(await outwork(["cp", join(folder, "app"), "demo:"]), done);
  const ran = await outwork(["exec", "demo", "--", "/workspace/app/run.sh"]);
  assert.deepEqual(ran, { code: 0, stdout: "ran\n", stderr: "" });
  assert.deepEqual(await outwork(["cp", "demo:app", join(folder, "back")]), done);
  assert.deepEqual(await readTree(join(folder, "back")), await readTree(join(folder, "app")));
});

test("failures have the exit codes that the help promises", async (t) => {
  const { outwork } = await demo(t);
  const codes = [];
  for (const args of [
    ["exec", "demo", "--", "no-such-program"],
    ["exec", "nowhere", "--", "true"],
    ["attach", "demo", "nothing"],
    ["env", "create", "--policy", "danger-full-access"],
    ["cp", "demo:/nowhere", "."],
  ]) {
    codes.push((await outwork(args)).code);
  }
  assert.deepEqual(codes, [1, 3, 3, 4, 1]);
});

test("a model works in two real environments, and sessions stay apart", async (t) => {
  const { served, outwork } = await demo(t);
  await outwork(["env", "create", "--id", "other"]);
  await using client = await served.client();
  let asked = 0;
  const model = async (items: readonly Item[]): Promise<Item[]> => {
    const call = (name: string, args: unknown): Item => {
      asked += 1;
      return { type: "function_call", call_id: `c${asked}`, name, arguments: JSON.stringify(args) };
    };
    switch (asked) {
      case 0:
        return [
          call("exec_command", { cmd: "echo one > f; cat f" }),
          call("exec_command", {
            cmd: "ls; cat",
            tty: true,
            yield_time_ms: 500,
            environment_id: "other",
          }),
        ];
      case 2: {
        const id = /session ID (\d+)/.exec(String(items.at(-1)?.output))?.[1];
        return [call("write_stdin", { session_id: Number(id), chars: "typed\n\u0004" })];
      }
      default:
        return [{ type: "message", content: "Done." }];
    }
  };
  const items = await agentLoop(model, client.turn(["demo", "other"]), "Look around.");
  const outputs = items.filter(({ type }) => type === "function_call_output");
  const texts = outputs.map(({ output }) => String(output).split("Output:\n")[1]);
  assert.deepEqual(texts, ["one\n", "", "typed\r\ntyped\r\n"]);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { CuttingProxy } from "../support/cutting-proxy.ts";
import type { FakeProcess } from "../support/fake-process.ts";
import { FakeService } from "../support/fake-service.ts";
import { cliResult, runCli, startCli } from "../support/outwork-cli.ts";
import { until } from "../support/terminal.ts";

async function serviceWith(onStart: (process: FakeProcess) => void) {
  const service = await FakeService.open({ onStart });
  service.add("env_1");
  return service;
}

test("exec sends each stream to its descriptor and exits with the command's code", async () => {
  await using service = await serviceWith((process) => {
    process.print("out\n");
    process.print("err\n", "stderr");
    process.exit(42);
    process.print("late\n");
    process.close();
  });
  const result = await runCli(["exec", "env_1", "--url", service.url, "--", "tool", "-x"]);
  assert.deepEqual(result, { code: 42, stdout: "out\nlate\n", stderr: "err\n" });
  const { argv, stdin, back_pressure } = service.process.start;
  assert.deepEqual(
    { argv, stdin, back_pressure },
    { argv: ["tool", "-x"], stdin: "closed", back_pressure: "reader" },
  );
});

test("exec -i passes stdin on, to its end", async () => {
  await using service = await serviceWith((process) => {
    process.changes.on("input", () => {
      if (!process.stdinEnded) return;
      process.print(process.stdin.toUpperCase());
      process.end(0);
    });
  });
  const input = "héllo\n".repeat(100_000);
  const args = ["exec", "-i", "env_1", "--", "tr"];
  const result = await runCli(args, { variables: { OUTWORK_URL: service.url }, input });
  assert.deepEqual({ ...result, stdout: "" }, { code: 0, stdout: "", stderr: "" });
  assert.ok(result.stdout === input.toUpperCase());
});

test("exec says what was asked for in flags", async () => {
  await using service = await serviceWith((process) => process.end(0));
  const flags = ["-w", "/workspace/a", "-e", "A=1=2", "--env=B=", "--timeout", "1.5m"];
  const policy = ["--policy", "read-only", "--network", "off", "--id", "mine"];
  const args = ["exec", "--url", service.url, ...flags, ...policy, "env_1", "--", "true"];
  assert.equal((await runCli(args)).code, 0);
  assert.deepEqual(service.process.start, {
    process_id: "mine",
    argv: ["true"],
    cwd: "/workspace/a",
    variables: { A: "1=2", B: "" },
    stdin: "closed",
    policy: { preset: "read-only", network_access: false },
    timeout_ms: 90_000,
    retained_bytes: 1_048_576,
    back_pressure: "reader",
  });
});

test("OU-13: exec goes on over a connection that breaks at any point of its output", async () => {
  await using service = await serviceWith((process) => {
    for (let line = 0; line < 50; line += 1) process.print(`line ${line}\n`);
    process.end(3);
  });
  const cuts = [700, 1_500, 2_300].map((atByte) => ({ direction: "down", atByte }) as const);
  await using proxy = await CuttingProxy.open(service.port, cuts);
  const result = await runCli(["exec", "env_1", "--url", proxy.url, "--", "seq"]);
  const stdout = Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join("");
  assert.deepEqual(result, { code: 3, stdout, stderr: "" });
});

test("OU-13: exec exits with 125 when the end of the command was not seen", async () => {
  const service = await serviceWith((process) => process.print("working\n"));
  const child = startCli(["exec", "env_1", "--url", service.url, "--patience", "0.2s", "--", "x"]);
  const result = cliResult(child);
  await once(child.stdout ?? child, "data");
  const { id } = { id: service.process.start.process_id };
  await service[Symbol.asyncDispose]();
  const { code, stderr } = await result;
  assert.equal(code, 125);
  assert.match(stderr, new RegExp(`^outwork: what became of ${id} in env_1 is not known: `));
  assert.match(stderr, new RegExp(`\\n  hint: \`outwork attach env_1 ${id}\` goes on reading`));
});

test("exec exits with 125 when the environment goes away under the command", async () => {
  await using service = await serviceWith((process) => process.print("working\n"));
  const child = startCli(["exec", "env_1", "--url", service.url, "--", "x"]);
  const result = cliResult(child);
  await once(child.stdout ?? child, "data");
  service.environments.clear();
  service.breakConnections();
  const { code, stderr } = await result;
  assert.equal(code, 125);
  assert.match(stderr, /is not known: there is no environment env_1/);
});

test("the first interrupt is passed on, a second one soon after ends the command", async () => {
  await using service = await serviceWith((process) => process.print("working\n"));
  const child = startCli(["exec", "env_1", "--url", service.url, "--", "x"]);
  const result = cliResult(child);
  await once(child.stdout ?? child, "data");
  child.kill("SIGINT");
  await until(service.process, () => service.process.signals.length === 1);
  assert.equal(service.process.running, true);
  child.kill("SIGINT");
  assert.equal((await result).code, 143);
  assert.deepEqual(service.process.signals, ["SIGINT"]);
  assert.equal(service.process.terminated, true);
});

test("a command that ends at the first interrupt gives its own code", async () => {
  await using service = await serviceWith((process) => {
    process.print("working\n");
    process.changes.on("input", () => process.end(130, "signalled"));
  });
  const child = startCli(["exec", "env_1", "--url", service.url, "--", "x"]);
  const result = cliResult(child);
  await once(child.stdout ?? child, "data");
  child.kill("SIGINT");
  assert.deepEqual(await result, { code: 130, stdout: "working\n", stderr: "" });
});

test("SIGTERM ends the command and not only the one who watches it", async () => {
  await using service = await serviceWith((process) => process.print("working\n"));
  const child = startCli(["exec", "env_1", "--url", service.url, "--", "x"]);
  const result = cliResult(child);
  await once(child.stdout ?? child, "data");
  child.kill("SIGTERM");
  assert.equal((await result).code, 143);
  assert.equal(service.process.terminated, true);
});

test("when nobody reads our output any more the command is ended", async () => {
  await using service = await serviceWith((process) => {
    process.print("one\n");
    process.changes.on("event", () => {});
  });
  const child = startCli(["exec", "env_1", "--url", service.url, "--", "yes"]);
  await once(child.stdout ?? child, "data");
  child.stdout?.destroy();
  service.process.print("two\n");
  const [code] = await once(child, "exit");
  assert.equal(code, 141);
  assert.equal(service.process.terminated, true);
});

test("a time limit that ended the command is named on stderr", async () => {
  await using service = await serviceWith((process) => process.end(137, "timeout"));
  const args = ["exec", "env_1", "--id", "p1", "--url", service.url, "--", "x"];
  assert.deepEqual(await runCli(args), {
    code: 137,
    stdout: "",
    stderr: "outwork: p1 ended because its time limit was reached\n",
  });
});

test("exec --detach prints the process id and leaves it running", async () => {
  await using service = await serviceWith(() => {});
  const args = ["exec", "-d", "--id", "p1", "env_1", "--url", service.url, "--", "sleep", "9"];
  assert.deepEqual(await runCli(args), { code: 0, stdout: "p1\n", stderr: "" });
  assert.equal(service.process.start.back_pressure, "none");
  const json = await runCli([...args.slice(0, 1), "--json", ...args.slice(1)]);
  assert.deepEqual(JSON.parse(json.stdout), service.process.listed());
});

test("attach shows what was printed before and passes the exit code on", async () => {
  await using service = await serviceWith((process) => {
    process.print("one\n");
    process.print("two\n");
    process.end(9);
  });
  await runCli(["exec", "-d", "--id", "p1", "env_1", "--url", service.url, "--", "x"]);
  const attach = ["attach", "env_1", "p1", "--url", service.url];
  assert.deepEqual(await runCli(attach), { code: 9, stdout: "one\ntwo\n", stderr: "" });
  const tail = await runCli([...attach, "--after", "1"]);
  assert.deepEqual(tail, { code: 9, stdout: "two\n", stderr: "" });
});

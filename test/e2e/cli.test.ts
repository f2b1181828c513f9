import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { VERSION } from "../../src/version.ts";
import { FakeService } from "../support/fake-service.ts";
import { cliResult, runCli, startCli } from "../support/outwork-cli.ts";
import { temporaryFolder } from "../support/tree.ts";

test("the built program prints its version and exits with 0", async () => {
  const child = startCli(["--version"]);
  assert.deepEqual(await cliResult(child), { code: 0, stdout: `${VERSION}\n`, stderr: "" });
});

test("every command explains itself, with its flags and examples", async () => {
  const { stdout: overview } = await runCli(["--help"]);
  for (const { name, summary, description, flags, examples } of COMMANDS) {
    assert.ok(overview.includes(summary), name);
    const { code, stdout, stderr } = await runCli([...name.split(" "), "--help"]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    const parts = [description, ...examples, ...Object.keys(flags).map((flag) => `--${flag}`)];
    assert.deepEqual(
      parts.filter((part) => !stdout.includes(part)),
      [],
      name,
    );
  }
});

test("no line of help is wider than a hundred columns", async () => {
  const texts = await Promise.all(
    COMMANDS.map(({ name }) => runCli([...name.split(" "), "--help"])),
  );
  const lines = texts.flatMap(({ stdout }) => stdout.split("\n"));
  assert.deepEqual(
    lines.filter((line) => line.length > 100),
    [],
  );
});

test("a command line that is not right exits with 2 and says what is", async () => {
  const lines = [
    ["fly"],
    ["env"],
    ["env", "fly"],
    ["env", "ls", "extra"],
    ["env", "create", "--memory", "lots"],
    ["env", "create", "--policy", "anything"],
    ["env", "create", "--network", "maybe"],
    ["env", "create", "--id", "local"],
    ["ps"],
    ["ps", "env_1", "--all"],
    ["exec", "env_1"],
    ["exec", "env_1", "ls", "-l"],
    ["exec", "env_1", "-e", "X", "--", "ls"],
    ["--url", "http://x"],
    ["--url", "nonsense", "env", "ls"],
  ];
  const results = await Promise.all(lines.map((args) => runCli(args)));
  assert.deepEqual(
    results.map(({ code, stderr }) => `${code} ${stderr.slice("outwork: ".length).trimEnd()}`),
    [
      `2 there is no command \`fly\`; there are ${COMMANDS.map(({ name }) => name).join(", ")}`,
      "2 `outwork env` needs a word more: create, ls, inspect, rm",
      "2 `outwork env` has no `fly`: create, ls, inspect, rm",
      "2 `extra` is one word too many",
      "2 --memory takes a size: 512m, 2g; not `lots`",
      "2 --policy is one of read-only, workspace-write, danger-full-access, external-sandbox; not `anything`",
      "2 --network is one of on, off; not `maybe`",
      "2 id: `local` and `none` are reserved",
      "2 ENV is missing",
      "2 unknown flag --all; allowed here: --json --url --token-file --help",
      "2 COMMAND is missing; it goes after --",
      [
        "2 unknown flag -l; allowed here: --stdin --tty --detach --cwd --env --id --timeout",
        "--quiet-timeout --patience --policy --network --writable-root --json --url --token-file",
        "--help\n  hint: flags of the command itself go after --, as in `outwork exec ENV -- ls -l`",
      ].join(" "),
      "2 --env takes NAME=VALUE, not `X`",
      "2 --url needs a command after it; `outwork --help` lists them",
      "2 `nonsense` is not a URL",
    ],
  );
});

test("environments are created, listed, inspected and removed", async () => {
  await using service = await FakeService.open();
  const outwork = (...args: string[]) => runCli(["--url", service.url, ...args]);
  assert.deepEqual(await outwork("env", "create", "--id", "demo"), {
    code: 0,
    stdout: "demo\n",
    stderr: "",
  });
  const { stdout: listed } = await outwork("env", "ls");
  assert.deepEqual(
    listed.split("\n").map((line) => line.split(/ {2,}/).slice(0, 6)),
    [
      ["ENVIRONMENT", "STATE", "PLACEMENT", "POLICY", "NETWORK", "PROCESSES"],
      ["demo", "ready", "embedded", "workspace-write", "off", "0"],
      [""],
    ],
  );
  const environment = service.environments.get("demo")?.environment;
  assert.deepEqual(JSON.parse((await outwork("env", "ls", "--json")).stdout), {
    environments: [environment],
  });
  const inspected = await outwork("env", "inspect", "demo", "--json");
  assert.deepEqual(JSON.parse(inspected.stdout), environment);
  assert.match((await outwork("env", "inspect", "demo")).stdout, /^writable +\/workspace \/tmp$/m);
  assert.deepEqual(await outwork("env", "rm", "demo"), { code: 0, stdout: "demo\n", stderr: "" });
  assert.deepEqual(await outwork("env", "rm", "demo"), {
    code: 3,
    stdout: "",
    stderr:
      "outwork: there is no environment demo\n  hint: `outwork env ls` lists the environments\n",
  });
});

test("env create sends what its flags ask for", async () => {
  await using service = await FakeService.open();
  const { code } = await runCli([
    ...["env", "create", "--url", service.url, "--placement", "docker", "--image", "node:22"],
    ...["--policy", "workspace-write", "--network=on", "--writable-root", "/data"],
    ...["-e", "A=1", "--label", "team=x", "--memory", "2g", "--pids", "100", "--cpus", "1.5"],
    ...["--workspace", "/src", "--lifetime", "1h", "--idle-timeout", "10m", "--id", "demo"],
  ]);
  assert.equal(code, 0);
  assert.deepEqual(service.created, [
    {
      id: "demo",
      placement: "docker",
      image: "node:22",
      policy: { preset: "workspace-write", network_access: true, writable_roots: ["/data"] },
      variables: { A: "1" },
      limits: { memory_bytes: 2_147_483_648, pids: 100, cpus: 1.5 },
      workspace: "/src",
      labels: { team: "x" },
      lifetime_ms: 3_600_000,
      idle_timeout_ms: 600_000,
    },
  ]);
});

test("ps lists processes, ended ones included, and obeys none of their arguments", async () => {
  await using service = await FakeService.open({
    onStart: (process) => {
      process.print("12345");
      if (process.start.argv[0] === "false") process.end(1);
    },
  });
  service.add("env_1");
  const exec = ["exec", "-d", "env_1", "--url", service.url];
  await runCli([...exec, "--id", "p1", "--", "false"]);
  await runCli([...exec, "--id", "p2", "--", "sleep", "\x1b[2J"]);
  const { stdout } = await runCli(["ps", "env_1", "--url", service.url]);
  assert.deepEqual(
    stdout.split("\n").map((line) => line.split(/ {2,}/).filter((_, column) => column !== 2)),
    [
      ["PROCESS", "STATE", "OUTPUT", "COMMAND"],
      ["p1", "exited 1", "5 B", "false"],
      ["p2", "running", "5 B", "sleep \\x1b[2J"],
      [""],
    ],
  );
});

test("the token comes from the file that is named, else from the variable", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "token"), "right\n");
  await using service = await FakeService.open({ token: "right" });
  const variables = { OUTWORK_URL: service.url };
  const outcome = async (args: string[], more: NodeJS.ProcessEnv) => {
    const { code } = await runCli(["env", "ls", ...args], { variables: { ...variables, ...more } });
    return code;
  };
  assert.equal(await outcome(["--token-file", join(folder, "token")], {}), 0);
  assert.equal(await outcome([], { OUTWORK_TOKEN: "right" }), 0);
  assert.equal(await outcome([], { OUTWORK_TOKEN: "wrong" }), 4);
  assert.equal(await outcome(["--token-file", join(folder, "none")], {}), 2);
});

test("without a url the local service and its token are used, and for no other url", async (t) => {
  const folder = await temporaryFolder(t);
  await using service = await FakeService.open({ token: "local" });
  await mkdir(join(folder, "state"));
  await writeFile(join(folder, "state", "service.json"), JSON.stringify({ url: service.url }));
  await writeFile(join(folder, "state", "token"), "local\n");
  const variables = { OUTWORK_STATE: join(folder, "state") };
  assert.equal((await runCli(["env", "ls"], { variables })).code, 0);
  const elsewhere = await runCli(["env", "ls", "--url", service.url], { variables });
  assert.equal(elsewhere.code, 4);
});

test("a service that is not there exits with 5 and says how to start one", async () => {
  const { code, stderr } = await runCli(["env", "ls", "--url", "http://127.0.0.1:9"]);
  assert.equal(code, 5);
  assert.match(
    stderr,
    /^outwork: GET \/v1\/environments failed: .*ECONNREFUSED.*\n {2}hint: start/,
  );
  const unknown = await runCli(["env", "ls"]);
  assert.equal(unknown.code, 5);
  assert.match(unknown.stderr, /OUTWORK_URL is not set/);
});

test("doctor says what was found", async () => {
  const { code, stdout } = await runCli(["doctor"]);
  assert.equal(code, 0);
  assert.match(stdout, /^ok {7}host: Node: \d+\./m);
  const json = await runCli(["doctor", "--json"]);
  const { checks } = JSON.parse(json.stdout) as { checks: { name: string }[] };
  assert.deepEqual(checks.map(({ name }) => name).slice(0, 2), ["Node", "system"]);
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { byUrl } from "../../src/cli/codex-environments.ts";
import type { Outwork } from "../../src/client/index.ts";
import { ServiceProcess } from "../../src/quickstart/service-process.ts";
import { ORDINARY_UID } from "../support/as-user.ts";
import { codexBinary } from "../support/codex.ts";
import { script } from "../support/exec-server/starts.ts";
import { installed } from "../support/installed.ts";
import { LineClient } from "../support/line-client.ts";
import { cliArgv, cliResult, cliVariables, runCli, startCli } from "../support/outwork-cli.ts";
import { passableFolder } from "../support/passable-folder.ts";

const isRoot = process.getuid?.() === 0;
const TOKEN_LINE = /^auth_bearer_token = "(\S+)"$/m;

describe("Codex's side of the command line", () => {
  let service: ServiceProcess;
  let outwork: Outwork;
  let variables: NodeJS.ProcessEnv;

  before(async () => {
    service = new ServiceProcess(await passableFolder("outwork-cli-codex-"), ["embedded"]);
    await service.start();
    outwork = await service.client();
    await Promise.all(["one", "two"].map((id) => outwork.environments.create({ id })));
    variables = { OUTWORK_STATE: service.stateFolder };
  });

  after(async () => {
    await Promise.all(["one", "two"].map((id) => outwork.environments.remove(id)));
    await outwork[Symbol.asyncDispose]();
    await service.stop();
    await rm(service.stateFolder, { recursive: true, force: true });
  });

  test("codex-config prints the file for several environments, the first as default", async () => {
    const { code, stdout, stderr } = await runCli(["codex-config", "one", "two"], { variables });
    assert.deepEqual([code, stderr], [0, ""]);
    const [, token] = TOKEN_LINE.exec(stdout) ?? [];
    const port = await service.port();
    const block = (id: string) =>
      [
        "[[environments]]",
        `id = "${id}"`,
        `url = "ws://127.0.0.1:${port}/v1/environments/${id}/exec-server"`,
        `auth_bearer_token = "${token}"`,
        "",
      ].join("\n");
    const lines = stdout.split("\n").filter((line) => !line.startsWith("#"));
    const head = ["include_local = false", 'default = "one"', ""].join("\n");
    assert.equal(lines.join("\n"), [head, block("one"), block("two")].join("\n"));
    assert.match(stdout, /^# .*\$CODEX_HOME\/environments\.toml/m);
    assert.match(stdout, /^# .*token.*let nobody else read/m);
  });

  test("codex-config puts the token into the URL where Codex would not send a header", async () => {
    const plain = new URL("ws://outwork.example/x");
    assert.deepEqual(byUrl("one", plain, "t&1"), { id: "one", url: `${plain.href}?token=t%261` });
    const secure = new URL("wss://outwork.example/x");
    const byHeader = { id: "one", url: secure.href, auth_bearer_token: "t" };
    assert.deepEqual(byUrl("one", secure, "t"), byHeader);
  });

  test("codex-config refuses an environment that is not there, and none at all", async () => {
    const missing = await runCli(["codex-config", "one", "three"], { variables });
    assert.deepEqual([missing.code, missing.stdout], [3, ""]);
    assert.match(missing.stderr, /three/);
    const none = await runCli(["codex-config"], { variables });
    assert.deepEqual([none.code, none.stderr], [2, "outwork: ENV is missing\n"]);
  });

  test("codex-config --program names a program and keeps the token out of the file", async () => {
    const args = ["codex-config", "--program", "--json", "two"];
    const { stdout } = await runCli(args, { variables });
    const [program, main] = cliArgv([]);
    assert.deepEqual(JSON.parse(stdout), {
      include_local: false,
      default: "two",
      environments: [{ id: "two", program, args: [main, "exec-server", "two"] }],
    });
  });

  for (const flags of [[], ["--program"]]) {
    test(`Codex works with what codex-config ${flags.join(" ")} prints`, async (t) => {
      const { stdout } = await runCli(["codex-config", ...flags, "one", "two"], { variables });
      const outputs = await codexRun(t, stdout, variables, [
        ["a", { cmd: "hostname", workdir: "/workspace" }],
        ["b", { cmd: "hostname", workdir: "/workspace", environment_id: "two" }],
      ]);
      assert.match(outputs.get("a") ?? "", /code 0\n.*Output:\none\n$/s);
      assert.match(outputs.get("b") ?? "", /code 0\n.*Output:\ntwo\n$/s);
    });
  }

  test("exec-server passes lines on until stdin ends, and exits with 0", async () => {
    const child = startCli(["exec-server", "one"], variables);
    const client = new LineClient(child);
    await client.handshake();
    await client.result("process/start", script("p", "echo $((6 * 7)); exit 3"));
    await client.closedOf("p");
    assert.equal(client.outputOf("p"), "42\n");
    assert.deepEqual(await client.end(), { code: 0, stderr: "" });
  });

  test("exec-server carries messages of 40 MB both ways", async () => {
    const child = startCli(["exec-server", "one"], variables);
    const client = new LineClient(child);
    await client.handshake();
    const dataBase64 = Buffer.alloc(30_000_000, "0123456789abcdef").toString("base64");
    const path = "file:///workspace/large";
    await client.result("fs/writeFile", { path, dataBase64, sandbox: null });
    const read = await client.result("fs/readFile", { path, sandbox: null });
    assert.ok(read.dataBase64 === dataBase64);
    assert.deepEqual(await client.end(), { code: 0, stderr: "" });
  });

  test("exec-server lets a slow reader hold up the command, and loses nothing", async () => {
    const child = startCli(["exec-server", "one"], variables);
    const client = new LineClient(child);
    await client.handshake();
    child.stdout?.pause();
    client.send("process/start", script("p", "head -c 20000000 /dev/zero | tr '\\0' x"));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.ok(client.outputOf("p").length < 20_000_000);
    child.stdout?.resume();
    await client.closedOf("p");
    assert.equal(client.outputOf("p").length, 20_000_000);
    await client.end();
  });

  test("exec-server exits with 3 for no such environment, and says so on stderr alone", async () => {
    const child = startCli(["exec-server", "three"], variables);
    const { code, stdout, stderr } = await cliResult(child);
    assert.deepEqual([code, stdout], [3, ""]);
    assert.match(stderr, /^outwork: .*three/);
  });

  test("exec-server exits with 5 when the connection is lost", async () => {
    const lone = new ServiceProcess(await passableFolder("outwork-cli-codex-"), ["embedded"]);
    await lone.start();
    await using own = await lone.client();
    await own.environments.create({ id: "one" });
    try {
      const child = startCli(["exec-server", "one"], { OUTWORK_STATE: lone.stateFolder });
      const client = new LineClient(child);
      await client.handshake();
      await lone.kill();
      const { code, stderr } = await client.ended;
      assert.equal(code, 5);
      assert.match(stderr, /^outwork: the connection to one was lost \(1006\)\n/);
    } finally {
      await lone.start();
      await using again = await lone.client();
      await again.environments.remove("one");
      await lone.stop();
      await rm(lone.stateFolder, { recursive: true, force: true });
    }
  });
});

describe("an agent on stdin and stdout", () => {
  const { main } = installed();

  /** Starts it in a folder of its own, as an ordinary user. */
  async function agentIn(t: TestContext, flags: readonly string[] = []) {
    const folder = await passableFolder("outwork-machine-");
    const workspace = join(folder, "workspace");
    await mkdir(workspace);
    const identity = isRoot ? { uid: ORDINARY_UID, gid: ORDINARY_UID } : {};
    if (isRoot) await chown(workspace, ORDINARY_UID, ORDINARY_UID);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const args = [main(), "agent", "--listen", "stdio", ...flags];
    const env = cliVariables({ HOME: workspace });
    const child = spawn(process.execPath, args, {
      ...identity,
      cwd: workspace,
      env,
      stdio: "pipe",
    });
    t.after(() => child.kill("SIGKILL"));
    const client = new LineClient(child);
    const run = async (id: string, text: string) => {
      const cwd = pathToFileURL(workspace).href;
      await client.result("process/start", script(id, text, { cwd }));
      await client.closedOf(id);
      return client.outputOf(id);
    };
    return { client, run, workspace, folder };
  }

  test("runs commands in the folder that it is started in, which they may write", async (t) => {
    const { client, run, workspace } = await agentIn(t);
    await client.handshake();
    assert.equal(await run("p", "pwd; echo made > made; cat made"), `${workspace}\nmade\n`);
    assert.deepEqual(await client.end(), { code: 0, stderr: "" });
    assert.deepEqual(await readdir(workspace), ["made"]);
  });

  test("keeps commands from writing elsewhere, from sockets of the machine and the network", async (t) => {
    const { client, run, workspace, folder } = await agentIn(t);
    await client.handshake();
    const outside = join(homedir(), "outwork-outside");
    const tries = [
      `echo x > ${outside}`,
      "echo x > /usr/outwork-outside",
      "mkdir .git/hooks",
      "test -e /run/docker.sock -o -e /run/user",
      "grep -q -v -e lo: -e Inter -e face /proc/net/dev",
    ];
    const text = tries.map((each) => `(${each}) 2>/dev/null && echo did`).join("\n");
    assert.equal(
      await run("p", `${text}\necho tried; echo x > /tmp/mine; echo x > ${folder}/x`),
      "tried\n",
    );
    assert.ok(
      [outside, "/usr/outwork-outside", "/tmp/mine", `${folder}/x`].every((f) => !existsSync(f)),
    );
    const path = pathToFileURL("/usr/outwork-outside").href;
    const params = { path, dataBase64: "eA==", sandbox: null };
    await assert.rejects(
      client.result("fs/writeFile", params),
      /outwork-outside|Read-only|denied/i,
    );
    await client.end();
    assert.deepEqual(await readdir(workspace), []);
  });

  test("gives full access only when it is named", async (t) => {
    const { client, run, folder } = await agentIn(t, ["--policy", "danger-full-access"]);
    await client.handshake();
    const open = await mkdtemp(join(tmpdir(), "outwork-open-"));
    t.after(() => rm(open, { recursive: true, force: true }));
    if (isRoot) await chown(open, ORDINARY_UID, ORDINARY_UID);
    assert.equal(await run("p", `echo x > ${open}/made && echo did`), "did\n");
    assert.ok(existsSync(`${open}/made`));
    assert.ok(existsSync(folder));
    await client.end();
  });

  test("lets commands talk to services of the machine with full access alone", async (t) => {
    const folder = await passableFolder("outwork-socket-");
    const path = join(folder, "socket");
    const server = createServer((connection) => connection.end("answered")).listen(path);
    await once(server, "listening");
    await chmod(path, 0o777);
    t.after(() => rm(folder, { recursive: true, force: true }));
    t.after(() => server.close());
    const connect = `require("net").connect("${path}").on("error", () => {}).pipe(process.stdout)`;
    const answers = ["danger-full-access", "read-only"].map(async (policy) => {
      const { client, run } = await agentIn(t, ["--policy", policy]);
      await client.handshake();
      const answer = await run("p", `'${process.execPath}' -e '${connect}'`);
      await client.end();
      return answer;
    });
    assert.deepEqual(await Promise.all(answers), ["answered", ""]);
  });

  test("holds a client to its policy that asks for full access", async (t) => {
    const { client, run, workspace } = await agentIn(t, ["--policy", "read-only"]);
    await client.handshake();
    assert.equal(await run("p", "(echo x > made) 2>/dev/null; ls"), "");
    assert.deepEqual(await readdir(workspace), []);
    await client.end();
  });

  test("ends every command with its stdin, and leaves nothing of its own", async (t) => {
    const { client } = await agentIn(t);
    await client.handshake();
    const before = (await readdir("/tmp")).filter((name) => name.startsWith("outwork-agent-"));
    const start = script("p", "setsid sleep 4711 & echo $$; sleep 4711");
    await client.result("process/start", start);
    await client.outputIncludes("p", "\n");
    assert.deepEqual(await client.end(), { code: 0, stderr: "" });
    const after = (await readdir("/tmp")).filter((name) => name.startsWith("outwork-agent-"));
    assert.equal(after.length, Math.max(0, before.length - 1));
  });

  test("refuses a folder whose writing would undo the sandbox", async (t) => {
    const installation = resolve(main(), "../../../..");
    const { client } = await agentIn(t, ["--writable-root", installation]);
    const { code, stderr } = await client.ended;
    assert.equal(code, 4);
    assert.match(stderr, /lies where commands may write, and it runs outside of their sandbox/);
  });

  if (isRoot) {
    test("refuses to run as root, and says what to do", async () => {
      const { code, stdout, stderr } = await runCli(["agent", "--listen", "stdio"]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /does not run as root: .*commands would be root of the whole machine/);
      assert.match(stderr, /hint: start it as an ordinary user/);
    });
  }
});

type ScriptedCall = readonly [id: string, args: Readonly<Record<string, unknown>>];

/** Runs `codex exec` against a scripted model with this environments.toml: what each call answered. */
async function codexRun(
  t: TestContext,
  environmentsToml: string,
  variables: NodeJS.ProcessEnv,
  calls: readonly ScriptedCall[],
): Promise<ReadonlyMap<string, string>> {
  const { startMockModel, call, say } = await import(
    pathToFileURL(resolve("test/acceptance/codex/mock-model.mjs")).href
  );
  const steps = calls.map(([id, args]) => [call(id, "exec_command", args)]);
  const model = await startMockModel({ steps: [...steps, [say("done")]] });
  const home = await mkdtemp(join(tmpdir(), "outwork-codex-home-"));
  t.after(async () => {
    await model.close();
    await rm(home, { recursive: true, force: true });
  });
  const provider = `name = "scripted"\nbase_url = "${model.baseUrl}"\nwire_api = "responses"\nrequires_openai_auth = false`;
  const config = `model = "gpt-5"\nmodel_provider = "scripted"\napproval_policy = "never"\n\n[model_providers.scripted]\n${provider}\n`;
  await writeFile(join(home, "config.toml"), config);
  await writeFile(join(home, "environments.toml"), environmentsToml);
  const args = ["exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "Go on."];
  const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, ...variables };
  const codex = spawn(await codexBinary(), args, {
    cwd: home,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { code, stdout, stderr } = await cliResult(codex);
  assert.equal(code, 0, stdout + stderr);
  return model.outputs;
}

#!/usr/bin/env node

// Acceptance test for a remote executor: a stock Codex client, driven by a
// scripted model, works in two executor environments at once.
//
//   node run-codex-e2e.mjs CODEX URL_A DIR_A URL_B DIR_B [options]
//
// See README.md beside this file for what is checked and for the options.
// Exit status: 0 all checks passed, 1 some failed, 2 bad usage or no start.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppServer } from "./app-server-client.mjs";
import { call, custom, patch, say, startMockModel } from "./mock-model.mjs";
import { startTap } from "./ws-tap.mjs";

/** Escape sequences that colour the client's log. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

// ------------------------------------------------------------ command line

const FLAGS = {
  "port-base": "number", // first of three ports for the mock model and the two taps; 0 = any free
  token: "string", // bearer token for both executors
  "token-a": "string",
  "token-b": "string",
  trace: "string", // folder to write the recorded frames to
  "net-probe": "string", // host:port that a command in env B can reach when unsandboxed
  "no-sandbox": "bool", // skip the sandbox checks
  "no-reconnect": "bool", // skip the checks that cut connections
  "no-exec": "bool", // skip the `codex exec` checks
  "no-code-mode": "bool", // skip the code-mode turn
  "with-copy": "bool", // also try the client's unfinished tool that copies between environments
  keep: "bool", // keep the throwaway CODEX_HOME and the run folders
  verbose: "bool", // print tool outputs as they come
  help: "bool",
};

function parse(argv) {
  const positional = [];
  const flags = {};
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    if (!arg.startsWith("--")) {
      positional.push(arg);
      continue;
    }
    const [name, inline] = arg.slice(2).split(/=(.*)/s, 2);
    const type = FLAGS[name];
    if (!type) throw new Error(`unknown option --${name}`);
    if (type === "bool") flags[name] = true;
    else {
      const value = inline ?? argv[++i];
      if (value === undefined) throw new Error(`--${name} needs a value`);
      flags[name] = type === "number" ? Number(value) : value;
    }
  }
  return { positional, flags };
}

let cli;
try {
  cli = parse(process.argv.slice(2));
} catch (error) {
  console.error(String(error.message));
  process.exit(2);
}
const opt = cli.flags;
if (opt.help || cli.positional.length !== 5) {
  console.error("usage: run-codex-e2e.mjs CODEX URL_A DIR_A URL_B DIR_B [options]");
  console.error(
    `options: ${Object.keys(FLAGS)
      .map((f) => `--${f}`)
      .join(" ")}`,
  );
  process.exit(opt.help ? 0 : 2);
}
const [CODEX, URL_A, DIR_A, URL_B, DIR_B] = cli.positional;
const TOKENS = { alpha: opt["token-a"] ?? opt.token, beta: opt["token-b"] ?? opt.token };
const USE_TOKEN = Boolean(TOKENS.alpha || TOKENS.beta);

// ------------------------------------------------------------ checks

let checks = 0;
const failures = [];
const clip = (value, n = 700) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text && text.length > n ? `${text.slice(0, n)}... (${text.length} chars)` : text;
};
function check(name, ok, detail) {
  checks += 1;
  console.log(`${ok ? "ok" : "not ok"} ${checks} - ${name}`);
  if (!ok) {
    failures.push(name);
    if (detail !== undefined) console.log(`#   saw: ${clip(detail)}`);
  }
  return ok;
}
const skip = (name, why) => console.log(`# skip - ${name}: ${why}`);
const section = (name) => console.log(`# ${name}`);

// ------------------------------------------------------------ fixtures

const RUN = `e2e-${randomBytes(4).toString("hex")}`;
const WS = { alpha: `${DIR_A}/${RUN}/ws`, beta: `${DIR_B}/${RUN}/ws` };
const OUTSIDE = { alpha: `${DIR_A}/${RUN}/outside`, beta: `${DIR_B}/${RUN}/outside` };
const ENVIRONMENTS = [
  { environmentId: "alpha", cwd: WS.alpha },
  { environmentId: "beta", cwd: WS.beta },
];
const FULL = { type: "dangerFullAccess" };
const readOnly = (networkAccess = false) => ({ type: "readOnly", networkAccess });
// Neither the temporary folder nor /tmp is made writable, so that the folder
// beside the workspace counts as outside wherever the workspaces lie.
const workspaceWrite = (networkAccess = false) => ({
  type: "workspaceWrite",
  writableRoots: [],
  networkAccess,
  excludeTmpdirEnvVar: true,
  excludeSlashTmp: true,
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Splits the text of an exec_command / write_stdin output into its parts. */
function parseExec(text) {
  const num = (re) => {
    const hit = re.exec(text);
    return hit ? Number(hit[1]) : null;
  };
  const at = text.indexOf("\nOutput:\n");
  return {
    exit: num(/^Process exited with code (-?\d+)$/m),
    session: num(/^Process running with session ID (\d+)$/m),
    tokens: num(/^Original token count: (\d+)$/m),
    body: at < 0 ? "" : text.slice(at + "\nOutput:\n".length),
    text,
  };
}

const home = fs.mkdtempSync(path.join(os.tmpdir(), "codex-e2e-"));
const frames = [];
let phase = "start";
const onFrame = (env) => (event) => {
  const frame = { phase, env, ...event };
  frames.push(frame);
  for (const hook of [...frameHooks]) hook(frame);
};
const frameHooks = new Set();

const portBase = opt["port-base"] ?? 0;
const port = (n) => (portBase ? portBase + n : 0);

let tapA;
let tapB;
let model;
let app;

function catalogModel(slug, extra = {}) {
  return {
    slug,
    display_name: slug,
    description: "Plays a script.",
    default_reasoning_level: "low",
    supported_reasoning_levels: [{ effort: "low", description: "the only level" }],
    shell_type: "unified_exec",
    visibility: "list",
    supported_in_api: true,
    priority: 1,
    base_instructions: "Do what the script says.",
    supports_reasoning_summaries: false,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: "freeform",
    truncation_policy: { mode: "tokens", limit: 10000 },
    supports_parallel_tool_calls: true,
    context_window: 400000,
    experimental_supported_tools: [],
    input_modalities: ["text", "image"],
    ...extra,
  };
}

function writeConfig(folder, { environments = true } = {}) {
  fs.mkdirSync(folder, { recursive: true });
  const catalog = path.join(folder, "catalog.json");
  fs.writeFileSync(
    catalog,
    JSON.stringify({
      models: [
        catalogModel("scripted-model"),
        catalogModel("scripted-code-model", {
          tool_mode: "code_mode_only",
          use_responses_lite: true,
        }),
      ],
    }),
  );
  fs.writeFileSync(
    path.join(folder, "config.toml"),
    `model = "scripted-model"
model_provider = "scripted"
model_catalog_json = ${JSON.stringify(catalog)}
approval_policy = "never"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${model.baseUrl}"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
apps = false
${opt["with-copy"] ? "multi_env_copy_file = true\n" : ""}
[shell_environment_policy]
set = { E2E_MARK = "set-by-policy" }
`,
  );
  if (environments) {
    fs.writeFileSync(
      path.join(folder, "environments.toml"),
      `include_local = false
default = "alpha"

[[environments]]
id = "alpha"
url = "${tapA.url}"

[[environments]]
id = "beta"
url = "${tapB.url}"
`,
    );
  }
}

function clientEnv(folder, extra = {}) {
  return {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    HOME: folder,
    CODEX_HOME: folder,
    RUST_LOG: "warn",
    ...extra,
  };
}

async function startApp() {
  // The client's own folder must not matter to the executors.
  const server = new AppServer(CODEX, { env: clientEnv(home), cwd: home });
  await server.initialize();
  if (USE_TOKEN) {
    for (const [id, tap] of [
      ["alpha", tapA],
      ["beta", tapB],
    ]) {
      await server.request("environment/add", {
        environmentId: id,
        execServerUrl: tap.url,
        ...(TOKENS[id] ? { authBearerToken: TOKENS[id] } : {}),
      });
    }
  }
  return server;
}

async function startThread(environments = ENVIRONMENTS, extra = {}) {
  const { thread } = await app.request("thread/start", {
    sandbox: "danger-full-access",
    approvalPolicy: "never",
    environments,
    ...extra,
  });
  return thread.id;
}

/** Plays steps as one turn; returns a reader for the outputs of its calls. */
async function play(threadId, steps, { policy = FULL, ms = 300_000, during } = {}) {
  model.push(...steps, [say("That was the script.")]);
  const ended = app.runTurn(threadId, "Go on.", { sandboxPolicy: policy }, ms);
  let turn;
  try {
    if (during) await during();
    turn = await ended;
  } finally {
    if (!turn) ended.catch(() => {});
  }
  const left = model.remaining;
  if (left) model.drop();
  const raw = (id) => model.outputs.get(id) ?? "(no output)";
  if (opt.verbose) {
    for (const step of steps) {
      if (typeof step !== "function")
        for (const item of step) console.log(`#   ${item.id}: ${clip(raw(item.id), 300)}`);
    }
  }
  return { turn, left, raw, exec: (id) => parseExec(raw(id)) };
}

const messages = (env, test) =>
  frames.filter((f) => f.env === env && f.kind === "message" && f.json && test(f));
const startsOf = (env) =>
  messages(env, (f) => f.dir === "c2s" && f.json.method === "process/start").map(
    (f) => f.json.params,
  );

// ------------------------------------------------------------ phases

async function prepare() {
  phase = "prepare";
  section("preparing the two workspaces");
  const thread = await startThread([
    { environmentId: "alpha", cwd: DIR_A },
    { environmentId: "beta", cwd: DIR_B },
  ]);
  const make = `mkdir -p ${RUN}/ws/.git ${RUN}/outside && echo ready`;
  const r = await play(thread, [
    [call("prep-a", "exec_command", { cmd: make, environment_id: "alpha" })],
    [call("prep-b", "exec_command", { cmd: make, environment_id: "beta" })],
  ]);
  const fine = r.exec("prep-a").body === "ready\n" && r.exec("prep-b").body === "ready\n";
  if (
    !check("the client connects to both executors and runs a command in each", fine, [
      r.raw("prep-a"),
      r.raw("prep-b"),
    ])
  ) {
    throw new Error("the executors are not usable, so nothing further was tried");
  }
}

async function mainTurn() {
  phase = "turn";
  section("one turn in two environments");
  const thread = await startThread();
  const firstRequest = model.requests.length;
  const B = { environment_id: "beta" };
  const A = { environment_id: "alpha" };

  const r = await play(thread, [
    [call("pwd-a", "exec_command", { cmd: "pwd", ...A })],
    [call("pwd-b", "exec_command", { cmd: "pwd", ...B })],
    [call("pwd-default", "exec_command", { cmd: "pwd" })],
    [
      call("streams", "exec_command", {
        cmd: "echo to-out; sleep 0.2; echo to-err >&2; exit 7",
        ...B,
      }),
    ],
    [call("stdin", "exec_command", { cmd: "cat; echo end-of-input", yield_time_ms: 5000, ...B })],
    [call("signal", "exec_command", { cmd: "kill -9 $$", ...B })],
    [
      call("vars", "exec_command", {
        cmd: 'echo "$E2E_MARK|$PAGER/$NO_COLOR|${CODEX_THREAD_ID:+thread}|$HOME"',
        ...B,
      }),
    ],
    [
      call("late", "exec_command", {
        cmd: "(sleep 1.5; echo late) & echo early",
        yield_time_ms: 8000,
        ...B,
      }),
    ],
    [
      call("detached", "exec_command", {
        cmd: "sleep 600 > /dev/null 2>&1 & echo parent-done",
        yield_time_ms: 8000,
        ...B,
      }),
    ],
    [call("after-detached", "exec_command", { cmd: "true", ...B })],
    [call("quote", "exec_command", { cmd: `printf '%s\\n' 'a "b" $c \\d' 'ünï ✓'`, ...B })],
    [
      call("big", "exec_command", {
        cmd: `head -c 1000000 /dev/zero | tr '\\0' a; echo; echo TAIL`,
        ...B,
      }),
    ],
    [call("mkdir", "exec_command", { cmd: "mkdir -p sub/deeper", ...B })],
    [call("workdir", "exec_command", { cmd: "pwd", workdir: "sub/deeper", ...B })],
    [patch("odd-add", ["*** Add File: odd %41 é#/f ile.txt", "+odd"], "beta")],
    [call("odd-cat", "exec_command", { cmd: 'pwd; cat "f ile.txt"', workdir: "odd %41 é#", ...B })],
    [call("noworkdir", "exec_command", { cmd: "pwd", workdir: "not-there", ...B })],
    [
      call("par-1", "exec_command", { cmd: timed("one"), yield_time_ms: 30_000, ...B }),
      call("par-2", "exec_command", { cmd: timed("two"), yield_time_ms: 30_000, ...A }),
      call("par-3", "exec_command", { cmd: timed("three"), yield_time_ms: 30_000, ...B }),
    ],
    [
      call("poll-1", "exec_command", {
        cmd: "for i in 1 2 3 4 5 6; do echo tick $i; sleep 0.5; done; exit 5",
        yield_time_ms: 700,
        ...B,
      }),
    ],
    (t) => [
      call("poll-2", "write_stdin", {
        session_id: t.sessionOf("poll-1") ?? 0,
        yield_time_ms: 8000,
      }),
    ],
    ...["a", "b"].flatMap((env) => [
      [
        call(`tty-${env}-1`, "exec_command", {
          cmd: 'test -t 0 && test -t 1 && echo terminal; stty size; printf "name? "; read n; echo "hello $n"; exit 3',
          tty: true,
          yield_time_ms: 1200,
          ...(env === "a" ? A : B),
        }),
      ],
      (t) => [
        call(`tty-${env}-2`, "write_stdin", {
          session_id: t.sessionOf(`tty-${env}-1`) ?? 0,
          chars: "Ada\n",
          yield_time_ms: 4000,
        }),
      ],
    ]),
    [
      call("ctrlc-1", "exec_command", {
        cmd: 'trap "echo caught; exit 9" INT; while :; do sleep 0.1; done',
        tty: true,
        yield_time_ms: 800,
        ...B,
      }),
    ],
    (t) => [
      call("ctrlc-2", "write_stdin", {
        session_id: t.sessionOf("ctrlc-1") ?? 0,
        chars: "\u0003",
        yield_time_ms: 4000,
      }),
    ],
    [
      call("sig-1", "exec_command", {
        cmd: 'trap "echo caught; exit 9" INT; while :; do sleep 0.1; done',
        yield_time_ms: 800,
        ...B,
      }),
    ],
    (t) => [
      call("sig-2", "write_stdin", {
        session_id: t.sessionOf("sig-1") ?? 0,
        chars: "\u0003",
        yield_time_ms: 4000,
      }),
    ],
    [patch("p-add", ["*** Add File: notes/new/list.txt", "+one", "+two", "+three"], "beta")],
    [
      patch(
        "p-update",
        ["*** Update File: notes/new/list.txt", "@@", " one", "-two", "+TWO ünï", " three"],
        "beta",
      ),
    ],
    [call("cat-1", "exec_command", { cmd: "cat notes/new/list.txt", ...B })],
    [
      patch(
        "p-move",
        ["*** Update File: notes/new/list.txt", "*** Move to: moved.txt", "@@", "-three", "+3"],
        "beta",
      ),
    ],
    [
      call("cat-2", "exec_command", {
        cmd: "cat moved.txt; test -e notes/new/list.txt || echo old-name-gone",
        ...B,
      }),
    ],
    [
      patch(
        "p-many",
        [
          "*** Add File: many-1.txt",
          "+1",
          "*** Delete File: moved.txt",
          "*** Add File: many-2.txt",
          "+2",
        ],
        "beta",
      ),
    ],
    [
      call("cat-3", "exec_command", {
        cmd: "cat many-1.txt many-2.txt; test -e moved.txt || echo deleted",
        ...B,
      }),
    ],
    [patch("p-bad", ["*** Update File: many-1.txt", "@@", "-there is no such line", "+x"], "beta")],
    [patch("p-missing", ["*** Delete File: not-there.txt"], "beta")],
    [patch("p-nowhere", ["*** Add File: x.txt", "+x"], "no-such-environment")],
    [call("cat-4", "exec_command", { cmd: "cat many-1.txt", ...B })],
    [call("mode-1", "exec_command", { cmd: `printf 'old\\n' > tool.sh; chmod 750 tool.sh`, ...B })],
    [patch("p-mode", ["*** Update File: tool.sh", "@@", "-old", "+new"], "beta")],
    [call("mode-2", "exec_command", { cmd: "stat -c %a tool.sh; cat tool.sh", ...B })],
    [patch("p-default", ["*** Add File: only-in-alpha.txt", "+alpha"])],
    [call("where-a", "exec_command", { cmd: "ls", ...A })],
    [call("where-b", "exec_command", { cmd: "ls", ...B })],
    [call("png", "exec_command", { cmd: `echo ${PIXEL} | base64 -d > pixel.png`, ...B })],
    [call("view", "view_image", { path: "pixel.png", ...B })],
    [patch("p-agents", ["*** Add File: AGENTS.md", "+The second workspace says hello."], "beta")],
  ]);

  check("the turn completes", r.turn?.status === "completed" && r.left === 0, {
    turn: r.turn,
    stepsNotPlayed: r.left,
  });

  // What the model was offered.
  const first = model.requests[firstRequest];
  const tool = (name) => first.tools.find((t) => t.name === name);
  const props = (name) => tool(name)?.parameters?.properties ?? {};
  check(
    "exec_command, write_stdin and apply_patch are offered",
    tool("exec_command") && tool("write_stdin") && tool("apply_patch"),
    first.tools.map((t) => t.name),
  );
  check(
    "exec_command takes environment_id when there are two environments",
    "environment_id" in props("exec_command"),
  );
  check(
    "the apply_patch grammar takes an environment line",
    /Environment ID/.test(tool("apply_patch")?.format?.definition ?? ""),
  );
  const context =
    first.input.map((i) => JSON.stringify(i)).find((s) => s.includes("<environment_context>")) ??
    "";
  check(
    "both environments and their folders are described to the model",
    ["alpha", "beta", WS.alpha, WS.beta].every((s) => context.includes(s)) &&
      !/<status>failed/.test(context),
    context,
  );

  // Commands.
  check(
    "exec_command runs in the first environment",
    r.exec("pwd-a").body === `${WS.alpha}\n`,
    r.raw("pwd-a"),
  );
  check(
    "exec_command runs in the second environment",
    r.exec("pwd-b").body === `${WS.beta}\n`,
    r.raw("pwd-b"),
  );
  check(
    "without environment_id the first environment is used",
    r.exec("pwd-default").body === `${WS.alpha}\n`,
    r.raw("pwd-default"),
  );
  const starts = { alpha: startsOf("alpha"), beta: startsOf("beta") };
  const routed = (env, id) => starts[env].some((p) => p.metadata?.toolCallId === id);
  check(
    "each command reached only its own executor",
    routed("alpha", "pwd-a") &&
      !routed("beta", "pwd-a") &&
      routed("beta", "pwd-b") &&
      !routed("alpha", "pwd-b"),
  );
  const streams = r.exec("streams");
  check(
    "standard output, standard error and the exit code come back",
    streams.exit === 7 && /to-out/.test(streams.body) && /to-err/.test(streams.body),
    streams.text,
  );
  check(
    "a command without a terminal sees an empty standard input",
    r.exec("stdin").body === "end-of-input\n" && r.exec("stdin").exit === 0,
    r.raw("stdin"),
  );
  check("death by signal 9 is reported as 137", r.exec("signal").exit === 137, r.raw("signal"));
  const vars = r.exec("vars").body.trim().split("|");
  check(
    "the environment variables of the policy and the overlay are set",
    vars[0] === "set-by-policy" && vars[1] === "cat/1" && vars[2] === "thread",
    r.raw("vars"),
  );
  check(
    "the command has the executor's HOME, not the client's",
    vars[3] !== "" && vars[3] !== home,
    r.raw("vars"),
  );
  check(
    "output of a child that outlives the shell but holds its pipe is waited for",
    r.exec("late").body === "early\nlate\n" && r.exec("late").exit === 0,
    r.raw("late"),
  );
  check(
    "a child that holds no pipe is not waited for",
    r.exec("detached").body === "parent-done\n" && r.exec("detached").exit === 0,
    r.raw("detached"),
  );
  check(
    "quoting and UTF-8 survive",
    r.exec("quote").body === 'a "b" $c \\d\nünï ✓\n',
    r.raw("quote"),
  );
  const big = r.exec("big");
  check(
    "a megabyte of output arrives whole and in order",
    big.tokens === Math.ceil(1000006 / 4) && big.exit === 0 && /TAIL\s*$/.test(big.body),
    { tokens: big.tokens, tail: big.body.slice(-40) },
  );
  check(
    "a relative workdir is taken from the environment folder",
    r.exec("workdir").body === `${WS.beta}/sub/deeper\n`,
    r.raw("workdir"),
  );
  check(
    "paths with spaces, percent signs and accents work",
    /Success/.test(r.raw("odd-add")) && r.exec("odd-cat").body === `${WS.beta}/odd %41 é#\nodd\n`,
    [r.raw("odd-add"), r.raw("odd-cat")],
  );
  check(
    "a missing workdir is an error, not a crash",
    /^exec_command failed/.test(r.raw("noworkdir")),
    r.raw("noworkdir"),
  );
  const spans = ["par-1", "par-2", "par-3"].map((id) => r.exec(id).body.split(/\s+/));
  check(
    "three commands run side by side",
    spans.map(([name]) => name).join() === "one,two,three" &&
      Math.max(...spans.map(([, begin]) => begin)) < Math.min(...spans.map(([, , end]) => end)),
    spans,
  );

  // Long-running and interactive processes.
  const [p1, p2] = [r.exec("poll-1"), r.exec("poll-2")];
  check(
    "a long command yields a session",
    p1.session !== null && p1.exit === null && p1.body.startsWith("tick 1\n"),
    p1.text,
  );
  check(
    "write_stdin polls it to its end",
    p2.exit === 5 && p1.body + p2.body === "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\ntick 6\n",
    [p1.text, p2.text],
  );
  for (const [env, name] of [
    ["a", "first"],
    ["b", "second"],
  ]) {
    const [t1, t2] = [r.exec(`tty-${env}-1`), r.exec(`tty-${env}-2`)];
    check(
      `a tty command in the ${name} environment has a terminal of 24 by 80`,
      t1.session !== null && /terminal\r\n24 80\r\nname\? $/.test(t1.body),
      t1.text,
    );
    check(
      `a tty command in the ${name} environment takes input and ends`,
      t2.exit === 3 && t2.body === "Ada\r\nhello Ada\r\n",
      t2.text,
    );
  }
  check(
    "control-C typed into a terminal interrupts",
    /caught/.test(r.exec("ctrlc-2").body) && r.exec("ctrlc-2").exit === 9,
    r.raw("ctrlc-2"),
  );
  check(
    "control-C without a terminal becomes an interrupt signal",
    /caught/.test(r.exec("sig-2").body) && r.exec("sig-2").exit === 9,
    r.raw("sig-2"),
  );

  // Patches.
  const patched = (id) => /^Exit code: 0$/m.test(r.raw(id)) && /Success\. Updated/.test(r.raw(id));
  check(
    "apply_patch adds a file in new folders of the second environment",
    patched("p-add") && /A notes\/new\/list\.txt/.test(r.raw("p-add")),
    r.raw("p-add"),
  );
  check(
    "apply_patch updates a file",
    patched("p-update") && r.exec("cat-1").body === "one\nTWO ünï\nthree\n",
    [r.raw("p-update"), r.raw("cat-1")],
  );
  check(
    "apply_patch moves a file",
    patched("p-move") && r.exec("cat-2").body === "one\nTWO ünï\n3\nold-name-gone\n",
    [r.raw("p-move"), r.raw("cat-2")],
  );
  check(
    "one patch adds two files and deletes one",
    patched("p-many") && r.exec("cat-3").body === "1\n2\ndeleted\n",
    [r.raw("p-many"), r.raw("cat-3")],
  );
  check(
    "a patch whose context is not found reports it",
    /verification failed/.test(r.raw("p-bad")) && /many-1\.txt/.test(r.raw("p-bad")),
    r.raw("p-bad"),
  );
  check(
    "a patch that deletes a missing file reports it",
    /verification failed/.test(r.raw("p-missing")) && /No such file/i.test(r.raw("p-missing")),
    r.raw("p-missing"),
  );
  check(
    "a patch for an unknown environment is refused",
    /no-such-environment/.test(r.raw("p-nowhere")),
    r.raw("p-nowhere"),
  );
  check("failed patches change nothing", r.exec("cat-4").body === "1\n", r.raw("cat-4"));
  check(
    "an update keeps the file mode",
    patched("p-mode") && r.exec("mode-2").body === "750\nnew\n",
    r.raw("mode-2"),
  );
  check(
    "a patch without an environment line goes to the first environment",
    patched("p-default") &&
      /only-in-alpha/.test(r.exec("where-a").body) &&
      !/only-in-alpha/.test(r.exec("where-b").body),
    [r.raw("where-a"), r.raw("where-b")],
  );
  check(
    "files of the second environment are not in the first",
    !/many-1/.test(r.exec("where-a").body) && /many-1/.test(r.exec("where-b").body),
    [r.raw("where-a"), r.raw("where-b")],
  );
  const writes = (env) =>
    messages(
      env,
      (f) =>
        f.phase === "turn" &&
        f.dir === "c2s" &&
        /^fs\/(writeFile|remove|createDirectory)$/.test(f.json.method),
    ).map((f) => f.json.params.path);
  check(
    "file changes went to the right executor, as file URIs",
    writes("beta").length >= 8 &&
      writes("beta").every((u) => u.startsWith("file:///")) &&
      writes("alpha").length === 1,
    { alpha: writes("alpha"), beta: writes("beta") },
  );
  check(
    "view_image reads a picture from the second environment",
    r.raw("view").includes(PIXEL),
    r.raw("view"),
  );
}

async function instructionsTurn() {
  phase = "instructions";
  section("a fresh thread reads its instructions from the executors");
  const thread = await startThread();
  const at = model.requests.length;
  await play(thread, []);
  const seen = JSON.stringify(model.requests[at]?.input ?? []);
  check(
    "AGENTS.md of the second environment reaches the model",
    seen.includes("The second workspace says hello."),
    seen.length,
  );
}

async function sandboxTurns() {
  phase = "sandbox";
  section("sandboxed commands and patches");
  if (opt["no-sandbox"]) return skip("sandbox checks", "switched off");
  const thread = await startThread();
  const B = { environment_id: "beta" };
  const target = opt["net-probe"] ?? new URL(URL_B).host;
  const [host, portNumber] = target.includes(":") ? target.split(/:(?=\d+$)/) : [target, "80"];
  const probe = `(exec 3<>/dev/tcp/${host}/${portNumber}) 2>/dev/null && echo net-open || echo net-closed`;

  const full = await play(thread, [
    [call("net-full", "exec_command", { cmd: probe, ...B })],
    [
      call("traps", "exec_command", {
        cmd: `echo original > ${OUTSIDE.beta}/target.txt; ln -sfn ${OUTSIDE.beta}/target.txt link.txt; ln -sfn ${OUTSIDE.beta} linkdir; echo set`,
        ...B,
      }),
    ],
    [
      call("out-full", "exec_command", {
        cmd: `echo x > ${OUTSIDE.beta}/full.txt && echo written`,
        ...B,
      }),
    ],
  ]);
  check(
    "danger-full-access writes outside the workspace",
    full.exec("out-full").body === "written\n",
    full.raw("out-full"),
  );
  const probeWorks = full.exec("net-full").body === "net-open\n";
  if (!probeWorks)
    skip("network checks", `${target} cannot be reached from env B (see --net-probe)`);

  const ro = await play(
    thread,
    [
      [
        call("ro-read", "exec_command", {
          cmd: "cat many-1.txt && ls / > /dev/null && echo readable",
          ...B,
        }),
      ],
      [call("ro-in", "exec_command", { cmd: "echo x > ro.txt; echo status $?", ...B })],
      [call("ro-out", "exec_command", { cmd: `echo x > ${OUTSIDE.beta}/ro.txt`, ...B })],
      [
        call("ro-tmp", "exec_command", {
          cmd: 'echo x > "${TMPDIR:-/tmp}/e2e-ro-$$"; echo status $?',
          ...B,
        }),
      ],
      [call("ro-net", "exec_command", { cmd: probe, ...B })],
      [patch("ro-patch", ["*** Add File: ro-patch.txt", "+x"], "beta")],
      [
        call("ro-tty", "exec_command", {
          cmd: "test -t 1 && echo x > ro-tty.txt; echo status $?",
          tty: true,
          ...B,
        }),
      ],
    ],
    { policy: readOnly() },
  );
  check("read-only: reading works", /readable/.test(ro.exec("ro-read").body), ro.raw("ro-read"));
  check(
    "read-only: a write in the workspace is denied",
    /status [1-9]/.test(ro.exec("ro-in").body),
    ro.raw("ro-in"),
  );
  check("read-only: a write elsewhere is denied", ro.exec("ro-out").exit > 0, ro.raw("ro-out"));
  check(
    "read-only: the temporary folder is not writable",
    /status [1-9]/.test(ro.exec("ro-tmp").body),
    ro.raw("ro-tmp"),
  );
  check("read-only: a patch is refused", !/Success/.test(ro.raw("ro-patch")), ro.raw("ro-patch"));
  check(
    "read-only: a tty command is confined too",
    /status [1-9]/.test(ro.exec("ro-tty").body),
    ro.raw("ro-tty"),
  );
  if (probeWorks)
    check(
      "read-only: the network is closed",
      ro.exec("ro-net").body === "net-closed\n",
      ro.raw("ro-net"),
    );

  const ww = await play(
    thread,
    [
      [call("ww-in", "exec_command", { cmd: "echo x > ww.txt && cat ww.txt", ...B })],
      [call("ww-out", "exec_command", { cmd: `echo x > ${OUTSIDE.beta}/ww.txt`, ...B })],
      [call("ww-link", "exec_command", { cmd: "echo x > link.txt; echo status $?", ...B })],
      [call("ww-git", "exec_command", { cmd: "echo x > .git/evil; echo status $?", ...B })],
      [call("ww-net", "exec_command", { cmd: probe, ...B })],
      [patch("ww-patch", ["*** Add File: made/by/patch.txt", "+patched"], "beta")],
      [call("ww-cat", "exec_command", { cmd: "cat made/by/patch.txt", ...B })],
      [patch("ww-patch-out", [`*** Add File: ${OUTSIDE.beta}/by-patch.txt`, "+x"], "beta")],
      [
        patch(
          "ww-patch-link",
          ["*** Update File: link.txt", "@@", "-original", "+changed"],
          "beta",
        ),
      ],
      [patch("ww-patch-linkdir", ["*** Add File: linkdir/by-link.txt", "+x"], "beta")],
      [patch("ww-patch-git", ["*** Add File: .git/hook", "+x"], "beta")],
    ],
    { policy: workspaceWrite() },
  );
  check(
    "workspace-write: a write in the workspace works",
    ww.exec("ww-in").body === "x\n",
    ww.raw("ww-in"),
  );
  check("workspace-write: a write outside is denied", ww.exec("ww-out").exit > 0, ww.raw("ww-out"));
  check(
    "workspace-write: a write through a symbolic link is denied",
    /status [1-9]/.test(ww.exec("ww-link").body),
    ww.raw("ww-link"),
  );
  check(
    "workspace-write: .git stays read-only",
    /status [1-9]/.test(ww.exec("ww-git").body),
    ww.raw("ww-git"),
  );
  check(
    "workspace-write: a patch in the workspace works",
    /Success/.test(ww.raw("ww-patch")) && ww.exec("ww-cat").body === "patched\n",
    [ww.raw("ww-patch"), ww.raw("ww-cat")],
  );
  check(
    "workspace-write: a patch outside is refused",
    !/Success/.test(ww.raw("ww-patch-out")),
    ww.raw("ww-patch-out"),
  );
  check(
    "workspace-write: a patch through a symbolic link is refused",
    !/Success/.test(ww.raw("ww-patch-link")),
    ww.raw("ww-patch-link"),
  );
  check(
    "workspace-write: a patch into a linked folder is refused",
    !/Success/.test(ww.raw("ww-patch-linkdir")),
    ww.raw("ww-patch-linkdir"),
  );
  check(
    "workspace-write: a patch into .git is refused",
    !/Success/.test(ww.raw("ww-patch-git")),
    ww.raw("ww-patch-git"),
  );
  if (probeWorks)
    check(
      "workspace-write: the network is closed by default",
      ww.exec("ww-net").body === "net-closed\n",
      ww.raw("ww-net"),
    );

  if (probeWorks) {
    const net = await play(
      thread,
      [
        [call("net-on", "exec_command", { cmd: probe, ...B })],
        [call("net-on-out", "exec_command", { cmd: `echo x > ${OUTSIDE.beta}/net.txt`, ...B })],
      ],
      { policy: workspaceWrite(true) },
    );
    check(
      "workspace-write with network: the network is open, the disk still closed",
      net.exec("net-on").body === "net-open\n" && net.exec("net-on-out").exit > 0,
      [net.raw("net-on"), net.raw("net-on-out")],
    );
  }

  const after = await play(thread, [
    [
      call("left", "exec_command", {
        cmd: `ls ${OUTSIDE.beta} | sort | tr '\\n' ' '; cat ${OUTSIDE.beta}/target.txt; ls ro.txt ro-tty.txt ro-patch.txt .git/evil .git/hook 2>/dev/null; echo end`,
        ...B,
      }),
    ],
  ]);
  check(
    "nothing was written where it was denied",
    after.exec("left").body === "full.txt target.txt original\nend\n",
    after.raw("left"),
  );

  const policies = messages(
    "beta",
    (f) => f.phase === "sandbox" && f.dir === "c2s" && f.json.method === "process/start",
  ).map((f) => f.json.params.sandbox);
  check(
    "unsandboxed commands carry no sandbox and sandboxed ones a managed one",
    policies.some((p) => p === null) && policies.some((p) => p?.permissions?.type === "managed"),
  );
  return undefined;
}

async function codeModeTurn() {
  phase = "code-mode";
  section("the same tools called from code mode");
  if (opt["no-code-mode"]) return skip("code mode", "switched off");
  const thread = await startThread(ENVIRONMENTS, { model: "scripted-code-model" });
  const script = `
const both = await Promise.all(['alpha', 'beta'].map((id) => tools.exec_command({ cmd: 'pwd', environment_id: id })));
text(both.map((r) => r.output).join(''));
await tools.apply_patch(['*** Begin Patch', '*** Environment ID: beta', '*** Add File: from-code.txt', '+code', '*** End Patch', ''].join('\\n'));
text((await tools.exec_command({ cmd: 'cat from-code.txt', environment_id: 'beta' })).output);
`;
  const r = await play(thread, [[custom("code", "exec", script)]]);
  check(
    "code mode runs commands in both environments and patches one",
    [WS.alpha, WS.beta, "code"].every((s) => r.raw("code").includes(s)) &&
      /completed/i.test(r.raw("code")),
    r.raw("code"),
  );
  return undefined;
}

async function copyTurn() {
  if (!opt["with-copy"]) return;
  phase = "copy";
  section("copying a file from one environment to the other");
  const thread = await startThread();
  const make = {
    cmd: "head -c 2500000 /dev/urandom > big.bin; cksum < big.bin",
    environment_id: "alpha",
  };
  const copy = (to) => ({
    source_environment_id: "alpha",
    source_path: `${WS.alpha}/big.bin`,
    target_environment_id: "beta",
    target_path: `${to}/copied.bin`,
  });
  const r = await play(thread, [
    [call("copy-make", "exec_command", make)],
    [call("copy", "multi_env_copy_file", copy(WS.beta))],
    [call("copy-sum", "exec_command", { cmd: "cksum < copied.bin", environment_id: "beta" })],
  ]);
  check(
    "the copy has the same contents",
    r.exec("copy-make").body !== "" && r.exec("copy-make").body === r.exec("copy-sum").body,
    [r.raw("copy"), r.raw("copy-sum")],
  );
  if (opt["no-sandbox"]) return;
  const w = await play(
    thread,
    [
      [call("copy-in", "multi_env_copy_file", copy(`${WS.beta}`))],
      [call("copy-out", "multi_env_copy_file", copy(OUTSIDE.beta))],
    ],
    { policy: workspaceWrite() },
  );
  check(
    "workspace-write: a copy into the workspace works, one outside is refused",
    /bytes_copied/.test(w.raw("copy-in")) && !/bytes_copied/.test(w.raw("copy-out")),
    [w.raw("copy-in"), w.raw("copy-out")],
  );
}

async function interruptTurn() {
  phase = "interrupt";
  section("interrupting a turn");
  const thread = await startThread();
  const B = { environment_id: "beta" };
  const before = app.notifications.length;
  const r = await play(
    thread,
    [
      [
        call("beat", "exec_command", {
          cmd: "(while :; do echo x >> beat.txt; sleep 0.1; done) & wait",
          yield_time_ms: 30000,
          ...B,
        }),
      ],
    ],
    {
      during: async () => {
        const started = await app.waitFor(
          (m) => m.method === "turn/started" && m.params.threadId === thread,
          20_000,
          "turn/started",
        );
        for (let i = 0; i < 200; i++) {
          if (
            app.notifications
              .slice(before)
              .some((m) => m.method === "item/started" && m.params.item?.id === "beat")
          )
            break;
          await sleep(50);
        }
        await sleep(1200);
        await app.request("turn/interrupt", { threadId: thread, turnId: started.params.turn.id });
      },
    },
  );
  model.drop();
  check("an interrupted turn ends as interrupted", r.turn?.status === "interrupted", r.turn);
  // The client leaves the process to the user, who then stops it.
  const watch = (id) =>
    call(id, "exec_command", {
      cmd: 'sleep 0.5; a=$(wc -c < beat.txt); sleep 1; b=$(wc -c < beat.txt); [ "$a" -gt 0 ] && [ "$a" = "$b" ] && echo still || echo moving',
      ...B,
    });
  let next = await play(thread, [[watch("beat-check-1")]]);
  check(
    "its command goes on in the background",
    next.exec("beat-check-1").body === "moving\n",
    next.raw("beat-check-1"),
  );
  await app.request("thread/backgroundTerminals/clean", { threadId: thread });
  await sleep(500);
  next = await play(thread, [[watch("beat-check-2")]]);
  check(
    "stopping the background terminals kills the command and its children",
    next.exec("beat-check-2").body === "still\n",
    next.raw("beat-check-2"),
  );
  check("the next turn works", next.turn?.status === "completed", next.turn);
}

/** Prints a name, and when it began and ended to print it, in milliseconds. */
function timed(name) {
  return `begin=$(date +%s%3N); sleep 3; echo ${name} $begin $(date +%s%3N)`;
}

/** Arms a one-shot action for the first frame of env B that satisfies `test`. */
function once(test, action) {
  const hook = (frame) => {
    if (frame.env !== "beta" || !test(frame)) return;
    frameHooks.delete(hook);
    action(frame);
  };
  frameHooks.add(hook);
  return () => frameHooks.delete(hook);
}

async function reconnectTurns() {
  phase = "reconnect";
  section("losing and regaining the connection");
  if (opt["no-reconnect"]) return skip("reconnect checks", "switched off");
  const thread = await startThread();
  const B = { environment_id: "beta" };
  const opened = () => frames.filter((f) => f.env === "beta" && f.kind === "open").length;
  const initializes = () =>
    messages("beta", (f) => f.dir === "c2s" && f.json.method === "initialize");
  const answerTo = (f) =>
    messages("beta", (g) => g.dir === "s2c" && g.conn === f.conn && g.json.id === f.json.id)[0];
  const sessionId = answerTo(initializes().at(-1))?.json.result?.sessionId;

  // 1. An outage while a command prints and ends.
  let seen = 0;
  let before = opened();
  let disarm = once(
    (f) => f.dir === "s2c" && f.json?.method === "process/output" && ++seen === 3,
    () => {
      tapB.refuse(true);
      tapB.cut();
      setTimeout(() => tapB.refuse(false), 3000);
    },
  );
  let r = await play(thread, [
    [
      call("outage", "exec_command", {
        cmd: "for i in $(seq 1 8); do echo line $i; sleep 0.2; done; exit 4",
        yield_time_ms: 20000,
        ...B,
      }),
    ],
  ]);
  disarm();
  const lines = Array.from({ length: 8 }, (_, i) => `line ${i + 1}\n`).join("");
  check(
    "output written during an outage arrives, once and in order",
    r.exec("outage").exit === 4 && r.exec("outage").body === lines,
    r.raw("outage"),
  );
  check("the client came back on a new connection", opened() > before);
  const resumed = initializes().at(-1);
  check(
    "it resumed the same session",
    resumed?.json.params.resumeSessionId === sessionId &&
      answerTo(resumed)?.json.result?.sessionId === sessionId,
    { asked: resumed?.json.params, answered: clip(answerTo(resumed)?.json ?? null) },
  );

  // 2. A write to standard input whose acknowledgement is lost; 3. one that is lost itself.
  const reader =
    'read a; echo "got <$a>"; if read -t 3 b; then echo "more <$b>"; else echo nothing-more; fi';
  const writeId = new Map();
  disarm = once(
    (f) => {
      if (f.dir === "c2s" && f.json?.method === "process/write") writeId.set(f.json.id, true);
      return f.dir === "s2c" && writeId.has(f.json?.id) && f.json.result;
    },
    () => tapB.cut(),
  );
  r = await play(thread, [
    [call("ack-1", "exec_command", { cmd: reader, tty: true, yield_time_ms: 600, ...B })],
    (t) => [
      call("ack-2", "write_stdin", {
        session_id: t.sessionOf("ack-1") ?? 0,
        chars: "once\n",
        yield_time_ms: 9000,
      }),
    ],
    (t) => [
      call("ack-3", "write_stdin", { session_id: t.sessionOf("ack-1") ?? 0, yield_time_ms: 6000 }),
    ],
  ]);
  disarm();
  let all = r.exec("ack-2").body + r.exec("ack-3").body;
  check(
    "input whose acknowledgement was lost is not typed twice",
    /got <once>/.test(all) && /nothing-more/.test(all),
    [r.raw("ack-2"), r.raw("ack-3")],
  );

  disarm = once(
    (f) => f.dir === "c2s" && f.json?.method === "process/write",
    () => tapB.cut(),
  );
  r = await play(thread, [
    [call("lost-1", "exec_command", { cmd: reader, tty: true, yield_time_ms: 600, ...B })],
    (t) => [
      call("lost-2", "write_stdin", {
        session_id: t.sessionOf("lost-1") ?? 0,
        chars: "again\n",
        yield_time_ms: 9000,
      }),
    ],
    (t) => [
      call("lost-3", "write_stdin", {
        session_id: t.sessionOf("lost-1") ?? 0,
        yield_time_ms: 6000,
      }),
    ],
  ]);
  disarm();
  all = r.exec("lost-2").body + r.exec("lost-3").body;
  check(
    "input that was lost on the way is sent again",
    /got <again>/.test(all) && /nothing-more/.test(all),
    [r.raw("lost-2"), r.raw("lost-3")],
  );

  // 4. A cut between turns.
  r = await play(thread, [
    [
      call("keep-1", "exec_command", {
        cmd: 'echo kept; read x; echo "woke <$x>"',
        tty: true,
        yield_time_ms: 500,
        ...B,
      }),
    ],
  ]);
  before = opened();
  tapB.cut();
  await sleep(1500);
  r = await play(thread, [
    (t) => [
      call("keep-2", "write_stdin", {
        session_id: t.sessionOf("keep-1") ?? 0,
        chars: "up\n",
        yield_time_ms: 5000,
      }),
    ],
    [call("keep-3", "exec_command", { cmd: "echo fine", ...B })],
    [patch("keep-4", ["*** Add File: after-cut.txt", "+x"], "beta")],
  ]);
  check(
    "a process left running between turns survives a cut",
    /woke <up>/.test(r.exec("keep-2").body),
    r.raw("keep-2"),
  );
  check(
    "commands and patches work after a cut",
    opened() > before && r.exec("keep-3").body === "fine\n" && /Success/.test(r.raw("keep-4")),
    [r.raw("keep-3"), r.raw("keep-4")],
  );
  return undefined;
}

async function shutdownTurn() {
  phase = "shutdown";
  section("leaving");
  const thread = await startThread();
  const B = { environment_id: "beta" };
  await play(thread, [
    [
      call("orphan", "exec_command", {
        cmd: "while :; do echo x >> orphan.txt; sleep 0.1; done",
        yield_time_ms: 800,
        ...B,
      }),
    ],
  ]);
  await app.stop();
  await sleep(1500);
  app = await startApp();
  const again = await startThread();
  const r = await play(again, [
    [
      call("orphan-check", "exec_command", {
        cmd: 'a=$(wc -c < orphan.txt); sleep 1; b=$(wc -c < orphan.txt); [ "$a" -gt 0 ] && [ "$a" = "$b" ] && echo still || echo "moving $a $b"',
        ...B,
      }),
    ],
  ]);
  check(
    "a process still running when the client leaves is stopped",
    r.exec("orphan-check").body === "still\n",
    r.raw("orphan-check"),
  );
}

/** An environment's status once the client has made up its mind. */
async function settledStatus(environmentId) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await app.request("environment/status", { environmentId });
    if (answer.status !== "pending" || attempt === 100) return answer;
    await sleep(100);
  }
}

async function authChecks() {
  phase = "auth";
  if (!USE_TOKEN) return;
  section("bearer tokens");
  const heads = frames
    .filter((f) => f.kind === "upgrade" && f.dir === "c2s")
    .map((f) => ({ env: f.env, auth: f.head.find((h) => /^authorization:/i.test(h)) }));
  check(
    "every connection carried the bearer token",
    heads.length > 1 && heads.every((h) => h.auth?.endsWith(`Bearer ${TOKENS[h.env]}`)),
  );
  for (const [label, token] of [
    ["a wrong token", "wrong-token"],
    ["no token", null],
  ]) {
    await app.request("environment/add", {
      environmentId: "intruder",
      execServerUrl: URL_B,
      ...(token ? { authBearerToken: token } : {}),
    });
    const { status, error } = await settledStatus("intruder");
    check(`${label} is refused`, status === "disconnected" && /40[13]/.test(error ?? ""), {
      status,
      error,
    });
  }
}

async function execChecks() {
  phase = "exec";
  section("codex exec");
  if (opt["no-exec"]) return skip("codex exec", "switched off");
  if (USE_TOKEN) return skip("codex exec", "a token can only be given through the app-server");
  if (!fs.existsSync(WS.alpha))
    return skip(
      "codex exec",
      "it needs the first workspace to exist on this machine under the same path",
    );

  const run = async (_label, folder, env, steps) => {
    model.push(...steps, [say("bye")]);
    const at = model.requests.length;
    const child = spawn(
      CODEX,
      ["exec", "--json", "--skip-git-repo-check", "--sandbox", "danger-full-access", "Go on."],
      {
        cwd: WS.alpha,
        env: clientEnv(folder, env),
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let err = "";
    child.stderr.on("data", (d) => (err += d));
    child.stdout.resume();
    const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const code = await new Promise((resolve) => child.on("exit", resolve));
    clearTimeout(timer);
    model.drop();
    return { code, err, tools: JSON.stringify(model.requests[at]?.tools ?? []) };
  };
  const out = (id) => model.outputs.get(id) ?? "(no output)";

  const multiHome = path.join(home, "exec-multi");
  writeConfig(multiHome);
  let r = await run("two", multiHome, {}, [
    [call("x-pwd", "exec_command", { cmd: "pwd", environment_id: "alpha" })],
    [patch("x-patch", ["*** Add File: by-exec.txt", "+exec"], "alpha")],
    [call("x-cat", "exec_command", { cmd: "cat by-exec.txt" })],
  ]);
  check(
    "codex exec offers every environment of environments.toml",
    r.code === 0 && r.tools.includes('"environment_id"'),
    r,
  );
  check(
    "codex exec runs and patches in the chosen environment",
    parseExec(out("x-pwd")).body === `${WS.alpha}\n` && parseExec(out("x-cat")).body === "exec\n",
    [out("x-pwd"), out("x-patch"), out("x-cat")],
  );

  const oneHome = path.join(home, "exec-one");
  writeConfig(oneHome, { environments: false });
  r = await run("one", oneHome, { CODEX_EXEC_SERVER_URL: tapA.url }, [
    [call("y-pwd", "exec_command", { cmd: "pwd" })],
    [patch("y-patch", ["*** Delete File: by-exec.txt"])],
    [call("y-ls", "exec_command", { cmd: "test -e by-exec.txt || echo gone" })],
  ]);
  check(
    "with one environment no environment_id is offered",
    r.code === 0 &&
      !r.tools.includes('"environment_id"') &&
      r.tools.includes("exec_command") &&
      r.tools.includes("apply_patch"),
    r.err,
  );
  check(
    "codex exec works with CODEX_EXEC_SERVER_URL alone",
    parseExec(out("y-pwd")).body === `${WS.alpha}\n` && parseExec(out("y-ls")).body === "gone\n",
    [out("y-pwd"), out("y-patch"), out("y-ls")],
  );
  return undefined;
}

function wireChecks() {
  section("what was seen on the wire");
  for (const env of ["alpha", "beta"]) {
    const fromServer = messages(env, (f) => f.dir === "s2c");
    const asks = fromServer.filter((f) => f.json.method && f.json.id !== undefined);
    check(`${env}: the executor sent no requests of its own`, asks.length === 0, asks.slice(0, 2));

    // Every event of a process is numbered 1, 2, 3 ... and `closed` is the last.
    const seqs = new Map();
    const closedAt = new Map();
    const note = (id, seq) => {
      if (!seqs.has(id)) seqs.set(id, new Set());
      seqs.get(id).add(seq);
    };
    const reads = new Map();
    for (const f of messages(env, () => true)) {
      const p = f.json.params ?? {};
      if (f.dir === "c2s" && f.json.method === "process/read")
        reads.set(`${f.conn}/${f.json.id}`, p.processId);
      if (f.dir !== "s2c") continue;
      if (/^process\/(output|exited|closed)$/.test(f.json.method ?? "")) {
        note(p.processId, p.seq);
        if (f.json.method === "process/closed") closedAt.set(p.processId, p.seq);
      }
      const readOf = reads.get(`${f.conn}/${f.json.id}`);
      if (readOf && f.json.result) {
        for (const chunk of f.json.result.chunks ?? []) note(readOf, chunk.seq);
        if (f.json.result.closed) closedAt.set(readOf, f.json.result.nextSeq - 1);
      }
    }
    const wrong = [];
    for (const [id, last] of closedAt) {
      const got = [...seqs.get(id)].sort((a, b) => a - b);
      if (got.at(-1) > last || got[0] < 1) wrong.push({ id, last, got });
    }
    check(
      `${env}: process events are numbered from 1 and closed comes last`,
      closedAt.size > 0 && wrong.length === 0,
      wrong.slice(0, 2),
    );

    const cutConns = new Set(
      frames.filter((f) => f.env === env && f.kind === "close").map((f) => f.conn),
    );
    const open = new Map();
    for (const f of messages(env, () => true)) {
      if (f.dir === "c2s" && f.json.id !== undefined && f.json.method)
        open.set(`${f.conn}/${f.json.id}`, f);
      if (f.dir === "s2c" && f.json.id !== undefined && !f.json.method)
        open.delete(`${f.conn}/${f.json.id}`);
    }
    const unanswered = [...open.values()].filter((f) => !cutConns.has(f.conn));
    check(
      `${env}: every request on a live connection was answered`,
      unanswered.length === 0,
      unanswered.slice(0, 2).map((f) => f.json),
    );
  }
}

async function cleanUp() {
  phase = "clean-up";
  if (opt.keep) return;
  try {
    const thread = await startThread([
      { environmentId: "alpha", cwd: DIR_A },
      { environmentId: "beta", cwd: DIR_B },
    ]);
    // The client itself refuses some spellings of removal when nobody can approve.
    const cmd = `find ${RUN} -depth -delete; test -e ${RUN} && echo left || echo gone`;
    const r = await play(thread, [
      [call("clean-a", "exec_command", { cmd, environment_id: "alpha" })],
      [call("clean-b", "exec_command", { cmd, environment_id: "beta" })],
    ]);
    for (const id of ["clean-a", "clean-b"]) {
      if (r.exec(id).body !== "gone\n")
        console.log(`# could not remove a run folder: ${clip(r.raw(id))}`);
    }
  } catch (error) {
    console.log(`# could not remove the run folders: ${error.message}`);
  }
}

// ------------------------------------------------------------ traces

/** Replaces everything that names this machine and shortens long payloads. */
function neutral(records) {
  const swaps = new Map();
  const add = (from, to) => {
    if (from && from.length > 1 && !swaps.has(from)) swaps.set(from, to);
  };
  for (const env of ["alpha", "beta"]) {
    add(WS[env], `/workspace-${env}/ws`);
    add(OUTSIDE[env], `/workspace-${env}/outside`);
  }
  add(`${DIR_A}/${RUN}`, "/workspace-alpha");
  add(`${DIR_B}/${RUN}`, "/workspace-beta");
  add(DIR_A, "/srv/alpha");
  add(DIR_B, "/srv/beta");
  add(home, "/home/client/.codex");
  const bare = (uri) =>
    typeof uri === "string" ? decodeURIComponent(uri.replace(/^file:\/\//, "")) : "";
  for (const f of records) {
    const info = f.json?.result?.environmentInfo ?? {};
    add(bare(f.json?.result?.codexHomeDir), `/home/${f.env}/.codex`);
    add(bare(info.userHomeDir), `/home/${f.env}`);
    for (const dir of [info.tempDir, ...(info.temporaryDirectories ?? [])]) {
      if (bare(dir) !== "/tmp") add(bare(dir), `/var/tmp/${f.env}`);
    }
    for (const dir of info.prependPathDirs ?? []) add(bare(dir), "/opt/executor/path");
    add(f.json?.result?.hostname, "executor-host");
  }
  const codexRoot = path.dirname(path.dirname(fs.realpathSync(CODEX)));
  add(codexRoot, "/opt/codex");
  add(RUN, "run");
  const ordered = [...swaps].sort((a, b) => b[0].length - a[0].length);
  // Folders above the workspaces are probed for project markers.
  const parents = new Set();
  for (const dir of [DIR_A, DIR_B]) {
    for (let p = path.posix.dirname(dir); p !== "/" && p !== "."; p = path.posix.dirname(p))
      parents.add(p);
  }
  const text = (value) => {
    let out = value;
    for (const [from, to] of ordered) out = out.split(from).join(to);
    for (const p of [...parents].sort((a, b) => b.length - a.length)) {
      out = out.split(`file://${p}/`).join("file:///parent/");
    }
    out = out.replace(/(127\.0\.0\.1|localhost):\d+/g, "$1:PORT");
    if (/^[A-Za-z0-9+/]{160,}=*$/.test(out)) out = `<${out.length} base64 characters>`;
    return out.length > 2000 ? `${out.slice(0, 200)}<... ${out.length} characters>` : out;
  };
  const walk = (value) => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v)]));
    return value;
  };
  return records.map((f) => {
    const out = walk(f);
    if (out.head)
      out.head = out.head.map((h) => h.replace(/^(authorization: Bearer ).*/i, "$1TOKEN"));
    return out;
  });
}

/** Tool shapes without their prose. */
function shapeOf(tool) {
  const strip = (value) => {
    if (Array.isArray(value)) return value.map(strip);
    if (!value || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(
          ([k, v]) =>
            !(k === "description" && typeof v === "string") &&
            !(k === "definition" && typeof v === "string"),
        )
        .map(([k, v]) => [k, strip(v)]),
    );
  };
  return strip(tool);
}

function writeTraces(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const clean = neutral(frames);
  for (const f of clean) if (f.phase === "start" || f.phase === "prepare") f.phase = "connect";
  for (const name of new Set(clean.map((f) => f.phase))) {
    if (name === "clean-up") continue;
    const rows = clean.filter((f) => f.phase === name);
    const kept = [];
    let dropped = 0;
    for (const f of rows) {
      // A megabyte of output is a hundred frames that say the same.
      if (
        f.json?.method === "process/output" &&
        String(f.json.params.chunk).startsWith("<") &&
        ++dropped > 3
      )
        continue;
      kept.push(f);
    }
    fs.writeFileSync(
      path.join(folder, `${name}.jsonl`),
      `${kept.map((f) => JSON.stringify(f)).join("\n")}\n`,
    );
  }
  const wanted = new Set(["exec_command", "write_stdin", "apply_patch", "view_image"]);
  const shapes = (body) => body.tools.filter((t) => wanted.has(t.name)).map(shapeOf);
  const multi = model.requests.find((b) =>
    JSON.stringify(b.tools ?? []).includes('"environment_id"'),
  );
  const single = model.requests.find(
    (b) =>
      b.tools?.some((t) => t.name === "exec_command") &&
      !JSON.stringify(b.tools).includes('"environment_id"'),
  );
  if (multi)
    fs.writeFileSync(
      path.join(folder, "tools-multi-environment.json"),
      `${JSON.stringify(shapes(multi), null, 2)}\n`,
    );
  if (single)
    fs.writeFileSync(
      path.join(folder, "tools-single-environment.json"),
      `${JSON.stringify(shapes(single), null, 2)}\n`,
    );
}

// ------------------------------------------------------------ main

async function main() {
  model = await startMockModel({ port: port(0) });
  tapA = await startTap({ target: URL_A, port: port(1), onEvent: onFrame("alpha") });
  tapB = await startTap({ target: URL_B, port: port(2), onEvent: onFrame("beta") });
  writeConfig(home, { environments: !USE_TOKEN });
  app = await startApp();
  await prepare();
  await mainTurn();
  await instructionsTurn();
  await sandboxTurns();
  await codeModeTurn();
  await copyTurn();
  await interruptTurn();
  await reconnectTurns();
  await shutdownTurn();
  await authChecks();
  await execChecks();
  wireChecks();
  await cleanUp();
}

let broken = null;
try {
  await main();
} catch (error) {
  broken = error;
  console.log(`not ok - stopped: ${error.message}`);
  if (app?.stderr) {
    const plain = app.stderr.replace(COLOURS, "").trim();
    console.log(
      plain
        .split("\n")
        .slice(-15)
        .map((l) => `#   ${l.slice(0, 400)}`)
        .join("\n"),
    );
  }
}
try {
  await app?.stop();
  if (opt.trace && frames.length) writeTraces(opt.trace);
} catch (error) {
  console.log(`# while closing: ${error.message}`);
}
await tapA?.close();
await tapB?.close();
await model?.close();
if (!opt.keep) fs.rmSync(home, { recursive: true, force: true });

console.log(
  `# ${checks - failures.length} of ${checks} checks passed${broken ? ", run incomplete" : ""}`,
);
process.exit(broken || failures.length ? 1 : 0);

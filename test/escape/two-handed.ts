import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OutworkError } from "../../src/errors.ts";
import type { TestEnvironment } from "../support/placement-environment.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE, writing } from "../support/policies.ts";
import type { Bait } from "./bait.ts";
import { type Ground, launchOn } from "./ground.ts";
import { arm } from "./inside.ts";
import type { Verdict } from "./verdict.ts";

/** What attacks with more than one command, or with the caller's help, are given. */
interface Scene {
  readonly environment: TestEnvironment;
  readonly ground: Ground;
  readonly bait: Bait;
}

/** Resolves with what was got, or null when there was nothing to get. */
type Attack = (scene: Scene) => Promise<string | null>;

/** Enough for a race that is lost more often than not. */
const TRIES = 25;
const NESTED = "/workspace/sub";

/** All of them under `workspace-write`, whose guards they are after. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  "lock the workspace for its owner, and make a name in the next command": ({ environment }) =>
    lockThenMake(environment, "555"),
  "lock the workspace against looking as well": ({ environment }) =>
    lockThenMake(environment, "000"),

  "end a command to take away the guard of another": async ({ environment }) => {
    const watch = "sleep 1; mkdir -p /workspace/.aws/x && echo got; echo $?";
    const waiting = await environment.startSh(watch);
    await environment.sh("true");
    const { stdout } = await environment.readToEnd(waiting);
    return stdout.includes("got") ? stdout : null;
  },

  "leave a process behind that waits for the guards to go": async ({ environment }) => {
    for (let round = 0; round < 3; round += 1) await environment.run(["python3", "-c", GRABBER]);
    const { stdout } = await environment.sh("cat /workspace/.aws/config; cat /workspace/.codex/x");
    return stdout === "" ? null : stdout;
  },

  "leave a process behind that goes on working": async ({ environment }) => {
    await environment.run(["python3", "-c", BEATER]);
    const [before] = [await textOf(environment, "/tmp/beat"), await sleep(400)];
    const after = await textOf(environment, "/tmp/beat");
    return before === "" || before !== after ? `${before} then ${after}` : null;
  },

  "swap a root for a link while commands start in it": async ({ environment, ground, bait }) => {
    const target = ground.folderOf(environment.id) === null ? "/home/outwork" : bait.openFolder;
    const swapper = await environment.start(["python3", "-c", SWAPPER, target]);
    await environment.firstLine(swapper);
    for (let round = 0; round < TRIES; round += 1) await victim(environment);
    await environment.terminate(swapper);
    const inHome = (await textOf(environment, "/home/outwork/planted")) !== "";
    const planted = bait.planted("planted", ".git", ".aws", ".agents", ".codex");
    return inHome || planted.length > 0 ? `planted ${planted}` : null;
  },

  "move the folder around a root away, and make a hook where it was": async ({ environment }) => {
    await environment.sh("mkdir -p /workspace/around/root");
    const policy = writing("/workspace", "/workspace/around/root");
    const move = "cd /workspace && mv around moved && mkdir -p around/root/.git/hooks && echo got";
    const { stdout } = await environment.sh(move, { policy });
    return stdout.includes("got") ? stdout : null;
  },

  "swap a root's repository for a link while commands start": async ({ environment, bait }) => {
    await environment.sh(`mkdir -p ${NESTED}/.git; ln -sfn ${bait.openFolder} ${NESTED}/link`);
    const swap = `cd ${NESTED}; while :; do mv .git old; mv link .git; mv .git link; mv old .git; done`;
    const swapper = await environment.startSh(`echo; ${swap} 2>/dev/null`);
    await environment.firstLine(swapper);
    let seen = "";
    for (let round = 0; round < TRIES; round += 1) {
      seen += await attempt(environment, `cat ${NESTED}/.git/key`, [NESTED]);
    }
    await environment.terminate(swapper);
    return seen.includes(bait.secretText) ? seen : null;
  },

  "have a fifo run as a program": async ({ environment }) => {
    await environment.sh("mkfifo /workspace/program && chmod 755 /workspace/program");
    await environment.run(["/workspace/program"]).catch(expected);
    return null;
  },

  "leave something in /dev for the next command": async ({ environment }) => {
    await environment.sh("touch /dev/left /dev/shm/left");
    const { stdout } = await environment.sh("ls /dev/left /dev/shm/left 2>/dev/null");
    return stdout === "" ? null : stdout;
  },

  "leave shared memory for the next command": async ({ environment }) => {
    const script = "import ctypes; print(ctypes.CDLL(None).shmget(0x0EC4FE, 4096, int('%s', 8)))";
    const made = await environment.run(["python3", "-c", script.replace("%s", "1666")]);
    const found = await environment.run(["python3", "-c", script.replace("%s", "666")]);
    if (Number(made.stdout) < 0) throw new Error("no shared memory could be made");
    return Number(found.stdout) >= 0 ? found.stdout : null;
  },

  "see the processes of another command": async ({ environment }) => {
    const mark = randomBytes(8).toString("hex");
    const other = await environment.startSh(`echo; : ${mark}; sleep 30; :`);
    await environment.firstLine(other);
    const [start, end] = [mark.slice(0, 8), mark.slice(8)];
    const { stdout } = await environment.sh(`grep -la ${start}"${end}" /proc/[0-9]*/cmdline`);
    await environment.terminate(other);
    const lines = stdout.split("\n").filter((line) => line !== "");
    const { stdout: own } = await environment.sh("ls -d /proc/[0-9]* | wc -l");
    return lines.length > 0 || Number(own) > 6 ? `${lines} of ${own}` : null;
  },

  "make the launcher load and log what commands want": async ({ environment }) => {
    const mark = `ow-${randomBytes(8).toString("hex")}`;
    const variables = {
      LD_DEBUG: "files",
      LD_DEBUG_OUTPUT: `/tmp/${mark}`,
      LD_PRELOAD: "/workspace/evil.so",
      LD_AUDIT: "/workspace/evil.so",
      GCONV_PATH: "/workspace",
      BASH_ENV: "/workspace/evil.sh",
      ENV: "/workspace/evil.sh",
      NODE_OPTIONS: "--require=/workspace/evil.js",
    };
    await environment.run(["/bin/true"], { variables });
    await environment.run(["/bin/true"], { variables, tty: { rows: 24, cols: 80 } });
    // Process numbers are part of the names: those of a sandbox are small.
    const names = readdirSync("/tmp").filter((name) => name.startsWith(mark));
    const { stdout } = await environment.sh(`ls /tmp | grep ${mark}`);
    const numbers = stdout.split("\n").map((name) => Number(name.split(".").at(-1)));
    const outside = numbers.filter((number) => number > 50);
    return names.length + outside.length > 0 ? `${names} ${outside}` : null;
  },

  "have the agent's own helpers load what commands wrote": async ({ ground }) => {
    const evil = "require('fs').writeFileSync('/workspace/.git/hooks/evil', 'x')";
    const variables = { NODE_OPTIONS: "--require=/tmp/evil.js", LD_PRELOAD: "/tmp/evil.so" };
    await using environment = await launchOn(ground, WORKSPACE_WRITE, variables);
    await environment.put("/workspace", [{ name: ".git/hooks/", type: "directory" }]);
    await environment.sh(`echo "${evil}" > /tmp/evil.js`);
    await environment.put("/workspace", [{ name: "any", content: "x" }]);
    const names = (await environment.get("/workspace")).map(({ name }) => name);
    return names.find((name) => name.includes("evil")) ?? null;
  },

  "point a .git file out of the tree by a link": async ({ ground, bait }) => {
    await using environment = await launchOn(ground, WORKSPACE_WRITE);
    const target = ground.folderOf(environment.id) === null ? "/.outwork" : bait.folder;
    await environment.put("/workspace", [
      { name: ".git", content: "gitdir: /workspace/way/open\n" },
    ]);
    await environment.sh(`ln -s ${target} /workspace/way`);
    const { output } = await environment.sh("ls /workspace/way/ /workspace/way/open").catch(none);
    return /key|run/.test(output) ? output : null;
  },

  "write a protected name by a patch": ({ environment }) => patch(environment, ".git/hooks/evil"),
  "write a missing protected name by a patch": ({ environment }) =>
    patch(environment, ".codex/config.toml"),
  "write a protected name by a patch through a link": async ({ environment }) => {
    await environment.sh("ln -sfn .git/hooks /workspace/hooks-link");
    return patch(environment, "hooks-link/evil");
  },
  "write the host by a patch through a link": async ({ environment, bait }) => {
    await environment.sh(`ln -sfn ${bait.openFolder} /workspace/open-link`);
    const got = await patch(environment, "open-link/planted");
    return bait.planted("planted").length > 0 ? "planted" : got;
  },

  "ask for more than the environment has": async ({ ground }) => {
    await using environment = await launchOn(ground, READ_ONLY);
    const script = "touch /workspace/x && echo wrote; : 2>/dev/null >/dev/tcp/127.0.0.1/1";
    const { process, stdout } = await environment.run(["/bin/bash", "-c", script], {
      policy: FULL_ACCESS,
    });
    const { files, network } = process.policy;
    return stdout !== "" || files.write === "all" || network === "on" ? stdout : null;
  },

  "ask for a root outside of those of the environment": async ({ environment }) => {
    const { stdout } = await environment.sh("touch /etc/x /home/outwork/x && echo wrote", {
      policy: writing("/", "/etc", "/home/outwork"),
    });
    return stdout === "" ? null : stdout;
  },
};

/** Runs them one after another, each on ground that the ones before have used. */
export async function attackWithTwoHands(ground: Ground, bait: Bait): Promise<readonly Verdict[]> {
  await using environment = await launchOn(ground, WORKSPACE_WRITE);
  await arm(environment);
  const { pid } = await environment.call("outwork/hello", {});
  const verdicts: Verdict[] = [];
  for (const [title, attack] of Object.entries(ATTACKS)) {
    verdicts.push(await judge(title, () => attack({ environment, ground, bait })));
  }
  verdicts.push(
    await judge("end the agent, or make it deaf, by any of this", async () => {
      const after = await environment.call("outwork/hello", {});
      return after.pid === pid ? null : "another agent answers";
    }),
    await judge("visit what listens on this host", async () => bait.visits.join(", ") || null),
  );
  return verdicts;
}

async function judge(title: string, act: () => Promise<string | null>): Promise<Verdict> {
  const group = "two hands";
  try {
    const got = await act();
    const outcome = got === null ? "stopped" : "worked";
    return { group, title, outcome, by: "", detail: got ?? "", as_it_should: got === null };
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { group, title, outcome: "broken", by: "error", detail, as_it_should: false };
  }
}

async function lockThenMake(environment: TestEnvironment, mode: string): Promise<string | null> {
  await environment.sh(`chmod ${mode} /workspace`, { cwd: "/tmp" });
  const make = "chmod 755 /workspace; mkdir -p /workspace/.aws && echo x > /workspace/.aws/config";
  await environment.sh(make, { cwd: "/tmp" });
  return (await textOf(environment, "/workspace/.aws/config")) || null;
}

/** A command that writes below a root which someone swaps for a link to elsewhere. */
async function victim(environment: TestEnvironment): Promise<void> {
  await attempt(environment, `echo x > ${NESTED}/planted`, [NESTED]);
}

/** A refusal is as good as a wall; anything else breaks the attack. */
async function attempt(
  environment: TestEnvironment,
  script: string,
  roots: string[],
): Promise<string> {
  const options = { policy: writing(...roots), cwd: "/tmp" };
  const { output } = await environment.sh(script, options).catch(none);
  return output;
}

function none(error: unknown): { output: string } {
  expected(error);
  return { output: "" };
}

function expected(error: unknown): void {
  if (!(error instanceof OutworkError)) throw error;
  const refusals = ["policy-denied", "start-failed", "enforcement-missing"];
  if (!refusals.includes(error.code)) throw error;
}

async function textOf(environment: TestEnvironment, path: string): Promise<string> {
  const { stdout } = await environment.sh(`cat ${path} 2>/dev/null`, { policy: READ_ONLY });
  return stdout;
}

async function patch(environment: TestEnvironment, path: string): Promise<string | null> {
  const text = `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\n`;
  const options = { policy: WORKSPACE_WRITE, options: {} };
  const { exit_code, changes } = await environment.call("outwork/apply_patch", {
    patch: text,
    ...options,
  });
  return exit_code === 0 || changes.length > 0 ? join("/workspace", path) : null;
}

const GRABBER = `
import os
for name in ("/workspace/.aws", "/workspace/.codex"):
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
            for stream in (0, 1, 2):
                os.close(stream)
            while True:
                try:
                    os.mkdir(name)
                    open(name + "/config", "w").write("x")
                    open(name + "/x", "w").write("x")
                except OSError:
                    pass
`;

const BEATER = `
import os, time
if os.fork() == 0:
    os.setsid()
    for stream in (0, 1, 2):
        os.close(stream)
    while True:
        open("/tmp/beat", "a").write(".")
        time.sleep(0.01)
time.sleep(0.3)
`;

/** Exchanges a folder for a link to elsewhere, at a pace that a launcher's steps fall between. */
const SWAPPER = `
import ctypes, os, random, sys, time
os.makedirs("${NESTED}", exist_ok=True)
os.symlink(sys.argv[1], "${NESTED}-link")
print(flush=True)
number = 316 if os.uname().machine == "x86_64" else 276
libc = ctypes.CDLL(None)
while True:
    libc.syscall(number, -100, b"${NESTED}", -100, b"${NESTED}-link", 2)
    time.sleep(random.random() * 0.01)
`;

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ParamsOf, ResolvedApplyPatch } from "../../../src/contract/agent.ts";
import type { TestEnvironment } from "../../support/placement-environment.ts";
import { type Launcher, useEnvironment } from "../../support/placement-target.ts";
import { READ_ONLY } from "../../support/policies.ts";
import { laidOut, leftBy, runFolder } from "../../support/recorded-patches.ts";
import {
  FAULTS,
  type Fixture,
  fill,
  fixtures,
  recordedTree,
  withoutTime,
} from "../../unit/patch/support/fixture.ts";

/** Runs of the program in one command: few commands, none of them long. */
const RUNS_AT_ONCE = 20;

/** Runs the program on these of the patches that are laid out below the current folder. */
const RUN = [
  'for run do ( cd "$run/cwd"',
  "if [ -e ../argument ]",
  'then apply_patch "$(cat ../patch)"; else apply_patch < ../patch; fi > ../stdout 2> ../stderr',
  'printf %s "$?" > ../exit_code ); done',
].join("\n");

const ADD_FILE = ["*** Begin Patch", "*** Add File: new", "+1", "*** End Patch"].join("\n");

export function patches(target: Launcher): void {
  describe("apply_patch", () => {
    const environment = useEnvironment(target);
    recordedPatches(environment);
    patchPrograms(environment);
  });
}

function recordedPatches(environment: () => TestEnvironment): void {
  describe("on recorded patches", () => {
    test("as a program answers and leaves what was recorded of the original", async () => {
      const runs = await fixtures();
      await environment().put("/workspace", await laidOut("program", runs));
      const folder = "/workspace/program";
      const byArgument = runs.filter(({ via }) => via === "argument");
      await environment().put(
        folder,
        byArgument.map(({ name }) => ({ name: `${name}/argument` })),
      );
      for (let at = 0; at < runs.length; at += RUNS_AT_ONCE) {
        const names = runs.slice(at, at + RUNS_AT_ONCE).map(({ name }) => name);
        const argv = ["/bin/sh", "-c", RUN, "sh", ...names];
        const { exitCode } = await environment().run(argv, { cwd: folder });
        assert.equal(exitCode, 0);
      }
      const left = await environment().get(folder);
      for (const run of runs) {
        const { cwd, beside } = leftBy(left, run.name);
        const { stdout, stderr, exit_code: code } = run;
        const answer = { stdout, stderr, exit_code: `${code}` };
        const { patch: _, argument: __, ...answered } = beside;
        const at = `${runFolder("program", run)}/cwd`;
        assert.deepEqual(answered, asBytes(fill(answer, at)), run.name);
        assert.deepEqual(cwd, await leftTree(run, "expected"), run.name);
      }
    });

    for (const atomic of [false, true]) {
      const door = atomic ? "atomic" : "tool";
      test(`as a tool${atomic ? ", all or nothing," : ""} answers and leaves what was recorded of the original`, async () => {
        const runs = (await fixtures()).filter(({ tool }) => tool);
        await environment().put("/workspace", await laidOut(door, runs));
        for (const run of runs) {
          const workdir = `${runFolder(door, run)}/cwd`;
          const patch = fill(run.patch.toString(), workdir);
          const { text } = await applied(environment(), { patch, workdir, options: { atomic } });
          assert.equal(withoutTime(text), fill(run.tool?.output, workdir), run.name);
        }
        const left = await environment().get(`/workspace/${door}`);
        for (const run of runs) {
          const expected = await leftTree(run, run.tool?.tree ?? "");
          assert.deepEqual(leftBy(left, run.name).cwd, expected, run.name);
        }
      });
    }
  });
}

/** The program, as commands of any image find it. */
export function patchPrograms(environment: () => TestEnvironment): void {
  test("as a program has both its names, and starts whatever a command's variables say", async () => {
    const variables = { LD_PRELOAD: "/nowhere.so", NODE_OPTIONS: "--require /nowhere.js" };
    for (const name of ["apply_patch", "applypatch"]) {
      const { exitCode, stdout } = await environment().run([name, ADD_FILE], { variables });
      assert.deepEqual([exitCode, stdout], [0, "Success. Updated the following files:\nA new\n"]);
    }
  });

  test("as a program writes only what its command may", async () => {
    const patch = ADD_FILE.replace("new", "never");
    const argv = ["apply_patch", patch];
    const { exitCode, stderr } = await environment().run(argv, { policy: READ_ONLY });
    assert.deepEqual([exitCode, stderr], [1, "Failed to write file /workspace/never\n"]);
  });
}

/** Applies a patch, defaults filled in as the service does. */
function applied(environment: TestEnvironment, asked: ParamsOf<"outwork/apply_patch">) {
  return environment.call("outwork/apply_patch", ResolvedApplyPatch.parse(asked));
}

/** Files are compared as bytes. */
function asBytes(answer: Record<string, string>): Record<string, string> {
  const entries = Object.entries(answer).map(([name, text]) => [name, latin1(text)]);
  return Object.fromEntries(entries);
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

async function leftTree(run: Fixture, which: string) {
  return FAULTS[run.name] ?? (await recordedTree(run, which));
}

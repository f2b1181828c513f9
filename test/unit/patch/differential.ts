/**
 * Compares our program with the original on random patches:
 * `node dist/test/unit/patch/differential.js PROGRAM [COUNT] [FIRST_SEED] [SCENARIO]`, where PROGRAM
 * is the original under the name `apply_patch`. Prints each seed on which the two differ, and how
 * many of the patches were applied. Exits with 1 if there was a difference.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { runProgram } from "../../../src/patch/program.ts";
import { contextIn } from "./support/context.ts";
import { Random } from "./support/random.ts";
import { SCENARIOS, type Scenario } from "./support/scenarios.ts";
import { plant, type Tree, treeOf } from "./support/tree.ts";

type Answer = { exit_code: number | null; stdout: string; stderr: string; tree: Tree };

const [program = "", count = "1000", first = "1", only] = process.argv.slice(2);
const scratch = await fs.mkdtemp(join(await fs.realpath(tmpdir()), "outwork-differential-"));

let differences = 0;
for (const [name, make] of Object.entries(SCENARIOS)) {
  if (only === undefined || only === name) differences += await compare(name, make);
}
await fs.rm(scratch, { recursive: true });
process.exitCode = differences === 0 ? 0 : 1;

async function compare(name: string, make: (random: Random) => Scenario): Promise<number> {
  const counts = { applied: 0, refused: 0, different: 0 };
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    const scenario = make(new Random(seed));
    const theirs = await answer(scenario, original);
    const ours = await answer(scenario, own);
    counts[theirs.exit_code === 0 ? "applied" : "refused"]++;
    if (isDeepStrictEqual(ours, theirs)) continue;
    counts.different++;
    console.log(JSON.stringify({ scenario: name, seed, ...scenario, ours, theirs }, null, 1));
  }
  console.log(JSON.stringify({ scenario: name, first_seed: Number(first), ...counts }));
  return counts.different;
}

type Runner = (patch: Buffer, cwd: string) => Promise<Omit<Answer, "tree">>;

async function answer({ tree, patch }: Scenario, run: Runner): Promise<Answer> {
  const cwd = join(scratch, "cwd");
  await fs.mkdir(cwd);
  await plant(cwd, tree);
  const { exit_code, stdout, stderr } = await run(Buffer.from(patch), cwd);
  const answered = { exit_code, stdout, stderr, tree: await treeOf(cwd) };
  await fs.rm(cwd, { recursive: true });
  return answered;
}

async function original(patch: Buffer, cwd: string) {
  const done = spawnSync(program, [], { cwd, input: patch, encoding: "utf8", timeout: 10_000 });
  if (done.error) throw done.error;
  return { exit_code: done.status, stdout: done.stdout, stderr: done.stderr };
}

function own(patch: Buffer, cwd: string) {
  const context = contextIn(cwd, { compat: true });
  return runProgram({ args: [], stdin: async () => patch }, context);
}

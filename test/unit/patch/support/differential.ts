import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { runProgram } from "../../../../src/patch/program.ts";
import { contextIn } from "./context.ts";
import { Random } from "./random.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { plant, type Tree, treeOf } from "./tree.ts";

type Said = { exit_code: number | null; stdout: string; stderr: string };
type Answer = Said & { tree: Tree };
type Runner = (patch: Buffer, cwd: string) => Promise<Said>;

/** What one random patch came to, with the original and with us. */
export interface Compared {
  readonly applied: boolean;
  readonly same: boolean;
  readonly scenario: Scenario;
  readonly ours: Answer;
  readonly theirs: Answer;
}

/** Applies random patches with the original and with our own program, side by side. */
export class Differential implements AsyncDisposable {
  readonly #program: string;
  readonly #scratch: string;

  /** @param program the original, under the name `apply_patch` */
  static async open(program: string): Promise<Differential> {
    const parent = await fs.realpath(tmpdir());
    return new Differential(program, await fs.mkdtemp(join(parent, "outwork-differential-")));
  }

  private constructor(program: string, scratch: string) {
    this.#program = program;
    this.#scratch = scratch;
  }

  async compare(kind: string, seed: number): Promise<Compared> {
    const make = SCENARIOS[kind];
    if (!make) throw new Error(`no scenario ${kind}; there are ${Object.keys(SCENARIOS)}`);
    const scenario = make(new Random(seed));
    const theirs = await this.#answer(scenario, (patch, cwd) => this.#original(patch, cwd));
    const ours = await this.#answer(scenario, own);
    const same = isDeepStrictEqual(ours, theirs);
    return { applied: theirs.exit_code === 0, same, scenario, ours, theirs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await fs.rm(this.#scratch, { recursive: true, force: true });
  }

  async #answer({ tree, patch }: Scenario, run: Runner): Promise<Answer> {
    const cwd = join(this.#scratch, "cwd");
    await fs.mkdir(cwd);
    await plant(cwd, tree);
    const { exit_code, stdout, stderr } = await run(Buffer.from(patch), cwd);
    const answered = { exit_code, stdout, stderr, tree: await treeOf(cwd) };
    await fs.rm(cwd, { recursive: true });
    return answered;
  }

  async #original(input: Buffer, cwd: string): Promise<Said> {
    const options = { cwd, input, encoding: "utf8" as const, timeout: 60_000 };
    const done = spawnSync(this.#program, [], options);
    if (done.error) throw done.error;
    return { exit_code: done.status, stdout: done.stdout, stderr: done.stderr };
  }
}

function own(patch: Buffer, cwd: string): Promise<Said> {
  const context = contextIn(cwd, { compat: true });
  return runProgram({ args: [], stdin: async () => patch }, context);
}

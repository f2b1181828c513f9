import assert from "node:assert/strict";
import { test } from "node:test";
import { patchOrNull } from "../../../src/patch/read/stream.ts";
import { patchedIn } from "./support/patched.ts";
import { Random } from "./support/random.ts";
import { SCENARIOS, type Scenario } from "./support/scenarios.ts";
import { plant, temporaryFolder, treeOf } from "./support/tree.ts";

const SEEDS = 250;

test("a dry run of any patch fails or changes just what the real run does", async (t) => {
  for (const { tree, patch } of scenarios("files", SEEDS)) {
    const cwd = await temporaryFolder(t);
    await plant(cwd, tree);
    const before = await treeOf(cwd);
    const rehearsed = await patchedIn(cwd, patch, { dry_run: true });
    assert.deepEqual(rehearsed.tree, before);
    const applied = await patchedIn(cwd, patch);
    assert.deepEqual({ ...rehearsed, tree: applied.tree }, applied, patch);
  }
});

test("any patch leaves the same files when it is atomic, or none of its changes", async (t) => {
  for (const { tree, patch } of scenarios("files", SEEDS)) {
    const cwds = [await temporaryFolder(t), await temporaryFolder(t)] as const;
    for (const cwd of cwds) await plant(cwd, tree);
    const before = await treeOf(cwds[0]);
    const applied = await patchedIn(cwds[0], patch);
    const atomic = await patchedIn(cwds[1], patch, { atomic: true });
    assert.equal(atomic.failure, applied.failure);
    assert.deepEqual(atomic.tree, applied.failure === null ? applied.tree : before, patch);
  }
});

function scenarios(name: string, count: number): Scenario[] {
  const make = SCENARIOS[name];
  if (!make) throw new Error(`no scenario is called ${name}`);
  const all = Array.from({ length: count }, (_, seed) => make(new Random(seed)));
  return all.filter(({ patch }) => patchOrNull(patch) !== null);
}

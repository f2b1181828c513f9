/**
 * Compares our program with the original on random patches:
 * `node dist/test/unit/patch/differential.js PROGRAM [COUNT] [FIRST_SEED] [SCENARIO]`, where PROGRAM
 * is the original under the name `apply_patch`. Prints each seed on which the two differ, and how
 * many of the patches were applied. Exits with 1 if there was a difference.
 */
import { Differential } from "./support/differential.ts";
import { SCENARIOS } from "./support/scenarios.ts";

const [program = "", count = "1000", first = "1", only] = process.argv.slice(2);
const firstSeed = Number(first);

await using differential = await Differential.open(program);
for (const kind of Object.keys(SCENARIOS)) {
  if (only !== undefined && only !== kind) continue;
  const counts = { applied: 0, refused: 0, different: 0 };
  for (let seed = firstSeed; seed < firstSeed + Number(count); seed++) {
    const { applied, same, scenario, ours, theirs } = await differential.compare(kind, seed);
    counts[applied ? "applied" : "refused"]++;
    if (same) continue;
    counts.different++;
    process.exitCode = 1;
    console.log(JSON.stringify({ scenario: kind, seed, ...scenario, ours, theirs }, null, 1));
  }
  console.log(JSON.stringify({ scenario: kind, first_seed: firstSeed, ...counts }));
}

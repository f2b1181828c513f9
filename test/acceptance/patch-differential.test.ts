import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { originalProgram } from "../support/codex.ts";
import { Differential } from "../unit/patch/support/differential.ts";
import { SCENARIOS } from "../unit/patch/support/scenarios.ts";
import { temporaryFolder } from "../unit/patch/support/tree.ts";

/** `node dist/test/unit/patch/differential.js` goes on for as long as one likes. */
const RUN_MS = 45_000;

test("random patches come to the same with us as with the original", async (t) => {
  const program = await originalProgram(await temporaryFolder(t));
  await using differential = await Differential.open(program);
  const firstSeed = randomInt(1, 2 ** 31);
  const endsAt = performance.now() + RUN_MS;
  const counts = { applied: 0, refused: 0 };
  let seed = firstSeed;
  for (; performance.now() < endsAt; seed++) {
    for (const kind of Object.keys(SCENARIOS)) {
      const { applied, ours, theirs, scenario } = await differential.compare(kind, seed);
      assert.deepEqual(ours, theirs, JSON.stringify({ scenario: kind, seed, ...scenario }));
      counts[applied ? "applied" : "refused"]++;
    }
  }
  t.diagnostic(`seeds ${firstSeed} to ${seed - 1}: ${JSON.stringify(counts)}`);
  assert.ok(counts.applied > 0 && counts.refused > 0);
});

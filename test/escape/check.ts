import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { summary, surprises } from "./table.ts";
import type { Column } from "./verdict.ts";

/** As many attacks there are at least. One that no longer runs is missed by this. */
const ATTACKS = 390;
const TWO_HANDED = 20;

/** Prints what the attacks got, and fails for each that went otherwise than it should. */
export function checkColumns(t: TestContext, columns: readonly Column[], atLeast = ATTACKS): void {
  t.diagnostic(summary(columns));
  assert.deepEqual(surprises(columns), []);
  for (const { policy, verdicts } of columns) {
    const wanted = policy === "two hands" ? TWO_HANDED : atLeast;
    const titles = new Set(verdicts.map(({ title }) => title));
    assert.ok(titles.size >= wanted, `only ${titles.size} attacks were run: ${policy}`);
  }
}

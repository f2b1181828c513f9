import assert from "node:assert/strict";
import { test } from "node:test";
import { Budget } from "../../../../src/exec-server/connection/budget.ts";

test("shares wait in turn, so that a large one is not passed for ever", async () => {
  const budget = new Budget(10);
  const first = await budget.take(6);
  const granted: string[] = [];
  const large = budget.take(8).then((share) => {
    granted.push("large");
    return share;
  });
  const small = budget.take(1).then((share) => {
    granted.push("small");
    return share;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(granted, []);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await large)[Symbol.dispose]();
  (await small)[Symbol.dispose]();
  assert.deepEqual(granted, ["large", "small"]);
});

test("more than the whole budget is the whole budget", async () => {
  const budget = new Budget(10);
  (await budget.take(1000))[Symbol.dispose]();
  (await budget.take(10))[Symbol.dispose]();
});

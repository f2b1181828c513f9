import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentIds } from "../../../src/exec-server/recent-ids.ts";

test("the newest ids are remembered, the oldest makes room", () => {
  const ids = new RecentIds<number>(2);
  for (const [note, id] of ["a", "b", "c"].entries()) ids.add(id, note);
  assert.deepEqual([ids.get("a"), ids.get("b"), ids.get("c")], [undefined, 1, 2]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { endingNow } from "../../../src/core/gone.ts";
import { Tombstones } from "../../../src/core/tombstones.ts";

test("ten thousand endings are remembered, the oldest is forgotten first", () => {
  const tombstones = new Tombstones();
  for (let index = 0; index <= 10_000; index += 1) {
    tombstones.set(`env${index}`, endingNow("removed"));
  }
  assert.equal(tombstones.get("env0"), undefined);
  assert.equal(tombstones.get("env1")?.reason, "removed");
  assert.equal(tombstones.get("env10000")?.reason, "removed");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerDetails } from "../../../../src/placements/docker/engine.ts";
import { lossOf } from "../../../../src/placements/docker/losses.ts";

function ended(exitCode: number, { Status = "exited", OOMKilled = false } = {}): ContainerDetails {
  return { State: { Status, OOMKilled, ExitCode: exitCode } } as ContainerDetails;
}

test("a container that runs, is paused or is yet to start is not lost", () => {
  for (const Status of ["running", "paused", "created"]) {
    assert.equal(lossOf(ended(0, { Status }), true), null, Status);
  }
});

test("the reason of a loss is told from how the container ended", () => {
  assert.equal(lossOf(null, false), "container-removed");
  assert.equal(lossOf(ended(137, { Status: "removing" }), false), "container-removed");
  assert.equal(lossOf(ended(137, { OOMKilled: true }), false), "out-of-memory");
  assert.equal(lossOf(ended(137), true), "out-of-memory");
  assert.equal(lossOf(ended(137), false), "container-stopped");
  assert.equal(lossOf(ended(143), false), "container-stopped");
  assert.equal(lossOf(ended(0), true), "container-stopped");
  assert.equal(lossOf(ended(1), true), "agent-died");
  assert.equal(lossOf(ended(134), false), "agent-died");
});

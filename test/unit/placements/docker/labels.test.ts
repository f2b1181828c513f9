import assert from "node:assert/strict";
import { test } from "node:test";
import { LABEL, labelsOf, readLabels } from "../../../../src/placements/docker/labels.ts";
import { specOf } from "../../../support/docker.ts";

const identity = {
  spec: specOf("env_1", { variables: { KEY: "välue\n" }, labels: { team: "a" } }),
  createdAt: new Date("2026-01-02T03:04:05.678Z"),
  door: "0123456789abcdef",
};
const labels = labelsOf("instance", identity);

test("an environment is read back from its labels", () => {
  assert.deepEqual(readLabels(labels), identity);
});

test("labels that do not add up are nobody's environment", () => {
  assert.equal(readLabels({}), null);
  assert.equal(readLabels({ ...labels, [LABEL.environment]: "other" }), null);
  assert.equal(readLabels({ ...labels, [LABEL.spec]: "{}" }), null);
  assert.equal(readLabels({ ...labels, [LABEL.created]: "yesterday" }), null);
  const { [LABEL.door]: _, ...doorless } = labels;
  assert.equal(readLabels(doorless), null);
});

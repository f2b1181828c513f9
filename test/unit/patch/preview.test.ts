import assert from "node:assert/strict";
import { test } from "node:test";
import { PREVIEW_INTERVAL_MS, previewPatch } from "../../../src/patch/read/preview.ts";
import { patchOf } from "./support/patched.ts";

const PATCH = patchOf(
  "*** Add File: a",
  "+1",
  "*** Update File: ./f",
  "*** Move to: g",
  " x",
  "-y",
  "+z",
  "*** Delete File: d",
);

const WHOLE = [
  { kind: "add", path: "a", content: "1\n" },
  { kind: "update", path: "./f", destination: "g", diff: "@@\n-x\n-y\n+x\n+z\n" },
  { kind: "delete", path: "d" },
];

async function previews(pieces: readonly string[], stepMs: number) {
  let at = 0;
  const shown = [];
  for await (const preview of previewPatch(pieces, () => at)) {
    at += stepMs;
    shown.push(preview);
  }
  return shown;
}

test("a preview comes with the first header and at the end, not with every piece", async () => {
  const shown = await previews([...PATCH], 0);
  assert.deepEqual(shown, [[{ kind: "add", path: "a", content: "" }], WHOLE]);
});

test("a preview follows a patch that takes its time, once per interval", async () => {
  const lines = PATCH.split("\n").map((line) => `${line}\n`);
  const shown = await previews(lines, PREVIEW_INTERVAL_MS);
  assert.deepEqual(shown.at(-1), WHOLE);
  assert.deepEqual(
    shown.map((preview) => preview.map(({ path }) => path).join(" ")),
    ["a", "a", "a ./f", "a ./f", "a ./f", "a ./f", "a ./f", "a ./f d", "a ./f d"],
  );
});

test("a patch that turns out wrong is shown as far as it was right", async () => {
  const shown = await previews(["*** Begin Patch\n*** Add File: a\n+1\nwrong\n", "+2\n"], 0);
  assert.deepEqual(shown.at(-1), [{ kind: "add", path: "a", content: "1\n" }]);
});

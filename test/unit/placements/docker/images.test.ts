import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../../../../src/placements/docker/engine.ts";
import { findImage } from "../../../../src/placements/docker/images.ts";

test("a name that could reach other parts of the engine's API is refused before the engine is asked", async (t) => {
  const engine = new Engine({ host: "unix:///nowhere" });
  const names = [
    "../containers/json",
    "a/../../b",
    "a?b=c",
    "a b",
    "/a",
    "a//b",
    "-a",
    "a:b:c",
    "",
  ];
  for (const name of names) {
    const found = findImage(engine, name, { signal: t.signal });
    await assert.rejects(found, { code: "validation-failed" }, name);
  }
});

test("names of every ordinary form are asked for", async (t) => {
  const engine = new Engine({ host: "unix:///nowhere" });
  const digest = `sha256:${"0".repeat(64)}`;
  const names = [
    "debian",
    "debian:12",
    "localhost:5000/team/image:v1.2_3",
    `ghcr.io/a/b@${digest}`,
  ];
  for (const name of [...names, digest, "0123456789ab"]) {
    const found = findImage(engine, name, { signal: t.signal });
    await assert.rejects(found, { code: "placement-unavailable" }, name);
  }
});

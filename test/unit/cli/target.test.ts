import assert from "node:assert/strict";
import { test } from "node:test";
import { place, route } from "../../../src/cli/copy/place.ts";
import { pathThere, targetPath } from "../../../src/cli/copy/target.ts";

test("a place is in an environment, here, or a stream", () => {
  assert.deepEqual(["env_1:/a:b", "demo:", "./a:b", "/a", "-", "a.b:c"].map(place), [
    { kind: "there", environmentId: "env_1", path: "/a:b" },
    { kind: "there", environmentId: "demo", path: "" },
    { kind: "here", path: "./a:b" },
    { kind: "here", path: "/a" },
    { kind: "stream" },
    { kind: "here", path: "a.b:c" },
  ]);
});

test("a copy goes between an environment and here", () => {
  for (const [source, destination] of [
    ["a", "b"],
    ["x:a", "y:b"],
    ["-", "-"],
  ] as const) {
    assert.throws(() => route(source, destination), {
      message: "exactly one side must be in an environment, as ENV:PATH",
    });
  }
});

test("a copy's name is the destination, or its own inside a folder", () => {
  assert.equal(targetPath("a/x.txt", "/out/y.txt", "none"), "/out/y.txt");
  assert.equal(targetPath("a/x.txt", "/out", "folder"), "/out/x.txt");
  assert.equal(targetPath("a/x.txt", "/out/", "none"), "/out/x.txt");
  assert.equal(targetPath("a/x.txt", "/out/y.txt", "file"), "/out/y.txt");
  assert.equal(targetPath("a/", "/out", "folder"), "/out/a");
  for (const content of [".", "a/.", "..", "a/.."]) {
    assert.equal(targetPath(content, "/out", "folder").replace(/\/$/, ""), "/out");
  }
});

test("a relative path of an environment is below its workspace", () => {
  const paths = ["", ".", "a/b", "../a", "/etc/", "/", "/a/../b//c"];
  assert.deepEqual(
    paths.map((path) => pathThere(path, "/workspace")),
    ["/workspace", "/workspace", "/workspace/a/b", "/a", "/etc", "/", "/b/c"],
  );
});

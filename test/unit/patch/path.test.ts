import assert from "node:assert/strict";
import { test } from "node:test";
import { resolvePath } from "../../../src/patch/apply/path.ts";

const MEANINGS: Record<string, string> = {
  "a/b": "/cwd/a/b",
  "./a//b/": "/cwd/a/b",
  "nowhere/../a": "/cwd/a",
  "../../../a": "/a",
  "/abs/./x": "/abs/x",
  "~/a": "/cwd/~/a",
  "file:///a": "/cwd/file:/a",
  "a%20b?c#d": "/cwd/a%20b?c#d",
  "a\\b": "/cwd/a\\b",
  "a\tb\rc": "/cwd/abc",
  ".\t./a": "/a",
  "\t/a": "/cwd//a",
  "C:/../a": "/cwd/a",
  ".": "/cwd",
};

for (const [written, path] of Object.entries(MEANINGS)) {
  test(`${JSON.stringify(written)} means ${path}`, () => {
    assert.equal(resolvePath("/cwd", written), path);
  });
}

test("a NUL is refused with the path as written", () => {
  const message = "'a\0b' is invalid on 'linux'";
  assert.throws(() => resolvePath("/cwd", "a\0b"), { name: "PatchApplyError", message });
});

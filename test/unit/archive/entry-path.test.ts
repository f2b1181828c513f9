import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSymlink, entryPath, MAX_DEPTH } from "../../../src/archive/entry-path.ts";
import { OutworkError } from "../../../src/errors.ts";

function ruleOf(check: () => unknown): unknown {
  try {
    return check();
  } catch (error) {
    assert(error instanceof OutworkError);
    return error.facts.rule;
  }
}

test("a name is the segments below the target folder", () => {
  const names = ["a", "./a/b", "a//b/", "a/./b", "./", ".", "..a/b..", "a b/\xff"];
  assert.deepEqual(names.map(entryPath), [
    ["a"],
    ["a", "b"],
    ["a", "b"],
    ["a", "b"],
    [],
    [],
    ["..a", "b.."],
    ["a b", "\xff"],
  ]);
});

test("a name that could leave the target folder, or fits no file system, is refused by rule", () => {
  const names = {
    "": "empty-name",
    "/etc/passwd": "absolute-path",
    "/": "absolute-path",
    "..": "parent-segment",
    "a/../b": "parent-segment",
    "a/..": "parent-segment",
    "a\0b": "nul",
    ["n".repeat(256)]: "name-too-long",
    ["n/".repeat(2_048)]: "path-too-long",
    ["d/".repeat(MAX_DEPTH + 1)]: "too-deep",
  };
  const rules = Object.keys(names).map((name) => [name, ruleOf(() => entryPath(name))]);
  assert.deepEqual(Object.fromEntries(rules), names);
});

test("the longest name, and the deepest path, that file systems hold are allowed", () => {
  assert.deepEqual(entryPath("n".repeat(255)), ["n".repeat(255)]);
  assert.equal(entryPath("d/".repeat(MAX_DEPTH)).length, MAX_DEPTH);
});

test("a symbolic link may point anywhere inside, by `..` in front only", () => {
  const at = ["a", "b", "link"];
  const targets = {
    file: undefined,
    "./c/d": undefined,
    "../x": undefined,
    "../..": undefined,
    "../../x/y": undefined,
    "../../..": "link-leads-out",
    "../../../x": "link-leads-out",
    "c/../../x": "link-leads-out",
    "/etc/passwd": "link-leads-out",
    "": "empty-name",
    "a\0b": "nul",
    ["x/".repeat(2_048)]: "path-too-long",
  };
  const rules = Object.keys(targets).map((target) => [
    target,
    ruleOf(() => checkSymlink("a/b/link", at, target)),
  ]);
  assert.deepEqual(Object.fromEntries(rules), targets);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  fitsHost,
  nativeBytes,
  nativePath,
  parsePathUri,
  uriOf,
} from "../../../src/exec-server/path-uri.ts";

function complaint(text: string): string {
  try {
    parsePathUri(text);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
}

test("any path of bytes survives the way there and back", () => {
  const byte = fc.integer({ min: 1, max: 255 }).filter((value) => value !== 0x2f);
  const name = fc
    .array(byte, { minLength: 1, maxLength: 12 })
    .map((bytes) => Buffer.from(bytes))
    .filter((bytes) => ![".", ".."].includes(bytes.toString()));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 4 }), (names) => {
      const path = Buffer.concat([
        Buffer.from("/root"),
        ...names.flatMap((part) => [Buffer.from("/"), part]),
      ]);
      assert.deepEqual(nativeBytes(parsePathUri(uriOf(path))), path);
    }),
  );
});

test("ES-01: URIs become native paths, however they are spelled", () => {
  const paths = {
    "file:///workspace": "/workspace",
    "file:///sp%20ace%25%C3%A9.txt": "/sp ace%é.txt",
    "file:///sp ace%25é.txt": "/sp ace%é.txt",
    "FILE://localhost/a": "/a",
    "file:/a": "/a",
    "file:a/b": "/a/b",
    "file://": "/",
    "  file:///a  ": "/a",
    "file:\\\\\\a\\b": "/a/b",
    "file:///a//b/./c/../d/": "/a/b/d",
    "file:///a/%2e%2e/b": "/b",
    "file:///d%2Fx": "/d/x",
    "file:///100%": "/100%",
    "file:///a%zz": "/a%zz",
  };
  const found = Object.keys(paths).map((text) => [text, nativePath(parsePathUri(text))]);
  assert.deepEqual(Object.fromEntries(found), paths);
});

test("ES-01: what is not a path URI is refused by name", () => {
  const faults = {
    "/abs": "invalid URI: relative URL without a base",
    rel: "invalid URI: relative URL without a base",
    "": "invalid URI: relative URL without a base",
    ":x": "invalid URI: relative URL without a base",
    "http://h/x": "unsupported path URI scheme `http`",
    "untitled:foo": "unsupported path URI scheme `untitled`",
    "file:///a?q=1": "query parameters are not allowed in path URIs",
    "file:///a?": "query parameters are not allowed in path URIs",
    "file:///a#f": "fragments are not allowed in path URIs",
    "file://user@host/x": "credentials are not allowed in path URIs",
    "file:///tmp/%00a": "'file:///tmp/%00a' is invalid on 'linux'",
  };
  const found = Object.fromEntries(Object.keys(faults).map((text) => [text, complaint(text)]));
  assert.deepEqual(found, faults);
});

test("ES-01: paths of another kind of machine parse but do not fit", () => {
  const fits = {
    "file:///C:/x": false,
    "file:///c:": false,
    "file:///C%3A/x": false,
    "file://otherhost/x": false,
    "file:///Cx:/x": true,
    "file:///tmp/C:/x": true,
  };
  const found = Object.keys(fits).map((text) => [text, fitsHost(parsePathUri(text))]);
  assert.deepEqual(Object.fromEntries(found), fits);
});

test("URIs show what the URL standard shows and escape the rest", () => {
  const shown = "file:///a%20b%22%23%3C%3E%3F%60%7B%7D^|%5C%25[]@:;=&+,$!'()*~%C3%A9%0A";
  assert.equal(uriOf("/a b\"#<>?`{}^|\\%[]@:;=&+,$!'()*~é\n"), shown);
  assert.equal(uriOf(Buffer.from([0x2f, 0xff])), "file:///%FF");
});

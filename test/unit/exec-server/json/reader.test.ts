import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readJson } from "../../../../src/exec-server/json/reader.ts";
import { JsonNumber, plain } from "../../../../src/exec-server/json/value.ts";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from "../../../../src/exec-server/limits.ts";

function complaint(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
}

test("any JSON text reads as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "grapheme" }), (text) => {
      assert.deepEqual(plain(readJson(text)), JSON.parse(text));
    }),
  );
});

test("any text that JSON.parse refuses is refused", () => {
  const mutated = fc
    .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 }))
    .map(([text, at, insert]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + insert + text.slice(place + 1);
    });
  fc.assert(
    fc.property(mutated, (text) => {
      try {
        JSON.parse(text);
      } catch {
        assert.notEqual(complaint(text), "none");
      }
    }),
  );
});

test("numbers keep every digit", () => {
  assert.deepEqual(readJson("[9223372036854775807,1.0,-0,1e999]"), [
    new JsonNumber("9223372036854775807"),
    new JsonNumber("1.0"),
    new JsonNumber("-0"),
    new JsonNumber("1e999"),
  ]);
});

test("members named like parts of Object.prototype are members", () => {
  const value = plain(readJson('{"__proto__":{"a":1},"constructor":2}')) as object;
  assert.deepEqual(Object.entries(value), [
    ["__proto__", { a: 1 }],
    ["constructor", 2],
  ]);
});

test("each fault is named with the place where it was noticed", () => {
  const faults: Record<string, string> = {
    "": "EOF while parsing a value at line 1 column 0",
    "{": "EOF while parsing an object at line 1 column 1",
    "[": "EOF while parsing a list at line 1 column 1",
    hello: "expected value at line 1 column 1",
    tru: "EOF while parsing a value at line 1 column 3",
    trux: "expected ident at line 1 column 4",
    "{bad": "key must be a string at line 1 column 2",
    '{"a" 1}': "expected `:` at line 1 column 6",
    '{"a":1,}': "trailing comma at line 1 column 8",
    "[1,]": "trailing comma at line 1 column 4",
    "[1 2]": "expected `,` or `]` at line 1 column 4",
    "1 2": "trailing characters at line 1 column 3",
    '{"é":1,\n"é":2}': "duplicate JSON object key `é` at line 2 column 4",
    '{"a":{"b":1,"b":2}}': "duplicate JSON object key `b` at line 1 column 15",
    '"a': "EOF while parsing a string at line 1 column 2",
    '"a\\': "EOF while parsing a string at line 1 column 3",
    '"\\x"': "invalid escape at line 1 column 3",
    '"\\u12"': "invalid escape at line 1 column 6",
    '"\\ud800"': "unexpected end of hex escape at line 1 column 8",
    '"\\ud800\\ud800"': "lone leading surrogate in hex escape at line 1 column 13",
    '"\\udc00"': "lone leading surrogate in hex escape at line 1 column 7",
    '"a\nb"': "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2",
    "01": "invalid number at line 1 column 2",
    "1.": "invalid number at line 1 column 2",
    "-": "invalid number at line 1 column 1",
    "1e+": "invalid number at line 1 column 3",
  };
  const found = Object.fromEntries(Object.keys(faults).map((text) => [text, complaint(text)]));
  assert.deepEqual(found, faults);
});

test("nesting ends at 127 arrays and objects, however deep the text goes", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(complaint(nested(MAX_JSON_DEPTH)), "none");
  assert.equal(complaint(nested(128)), "recursion limit exceeded at line 1 column 128");
  assert.equal(complaint("[".repeat(1_000_000)), "recursion limit exceeded at line 1 column 128");
});

test("a message holds at most 262144 values, containers included", () => {
  const ones = (count: number) => `[${Array(count).fill("1").join(",")}]`;
  assert.equal(complaint(ones(MAX_JSON_VALUES - 1)), "none");
  const expected =
    "JSON-RPC message exceeds the limit of 262144 JSON values at line 1 column 524287";
  assert.equal(complaint(ones(MAX_JSON_VALUES)), expected);
});

test("the time to read grows with the text and no faster", () => {
  const many = (part: string) => `[${Array(100_000).fill(part).join(",")}]`;
  const escapes = `["${"\\n".repeat(4_000_000)}"]`;
  const quotes = `["${'\\"'.repeat(4_000_000)}"]`;
  for (const text of [many('"plain"'), many('"\\n"'), escapes, quotes]) {
    assert.deepEqual(plain(readJson(text)), JSON.parse(text));
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  base64,
  boolean,
  count,
  type Decoder,
  list,
  record,
  string,
  u64,
  unsigned,
} from "../../../src/exec-server/decode.ts";
import {
  defaulted,
  oneOf,
  optional,
  required,
  struct,
  tagged,
} from "../../../src/exec-server/decode-shape.ts";
import { readJson } from "../../../src/exec-server/json/reader.ts";

function decode<T>(decoder: Decoder<T>, text: string): T | string {
  try {
    return decoder(readJson(text));
  } catch (error) {
    return (error as Error).message;
  }
}

const sample = struct("Sample", {
  name: required(string),
  flag: defaulted(boolean, true),
  size: optional(count("usize"), 0),
});

test("missing and null members take their defaults where they may", () => {
  const whole = { name: "a", flag: true, size: 0 };
  assert.deepEqual(decode(sample, '{"name":"a"}'), whole);
  assert.deepEqual(decode(sample, '{"name":"a","size":null,"other":[]}'), whole);
  assert.equal(
    decode(sample, '{"name":"a","flag":null}'),
    "invalid type: null, expected a boolean",
  );
  assert.equal(decode(sample, '{"flag":true}'), "missing field `name`");
  assert.equal(decode(sample, '{"flag":1}'), "invalid type: number, expected a boolean");
});

test("an array of all members in order stands for the object", () => {
  assert.deepEqual(decode(sample, '["a",false,3]'), { name: "a", flag: false, size: 3 });
  const short = "invalid length 1, expected struct Sample with 3 elements";
  assert.equal(decode(sample, '["a"]'), short);
  const long = "invalid length 4, expected fewer elements in array";
  assert.equal(decode(sample, '["a",true,1,2]'), long);
  assert.equal(decode(sample, '"x"'), 'invalid type: string "x", expected struct Sample');
});

test("integers are exact, unsigned and written as integers", () => {
  assert.equal(decode(u64, "18446744073709551615"), 18_446_744_073_709_551_615n);
  for (const text of ["18446744073709551616", "-1", "1.0", "1e3", "1".repeat(100_000)]) {
    assert.equal(decode(u64, text), "invalid number");
  }
  assert.equal(decode(u64, '"1"'), 'invalid type: string "1", expected u64');
  assert.equal(decode(unsigned("u16", 65_535n), "65536"), "invalid number");
  assert.equal(decode(count(), "18446744073709551615"), Number.MAX_SAFE_INTEGER);
});

test("words are one of a list, or an object of one of them", () => {
  const word = oneOf("core", "all", "none");
  assert.equal(decode(word, '"all"'), "all");
  assert.equal(decode(word, '{"all":null}'), "all");
  assert.equal(decode(word, '{"all":1}'), "invalid type: number, expected unit");
  assert.equal(decode(word, "5"), "invalid type: number, expected string or map");
  const unknown = "unknown variant `x`, expected one of `core`, `all`, `none`";
  assert.equal(decode(word, '"x"'), unknown);
  assert.equal(decode(oneOf("a", "b"), '"x"'), "unknown variant `x`, expected `a` or `b`");
  assert.equal(decode(oneOf("a"), '"x"'), "unknown variant `x`, expected `a`");
});

test("tagged objects decode by their tag", () => {
  const shape = tagged("Shape", "type", {
    circle: struct("Circle", { radius: required(count()) }),
    point: struct("Point", {}),
  });
  assert.deepEqual(decode(shape, '{"type":"circle","radius":2}'), { is: "circle", radius: 2 });
  assert.deepEqual(decode(shape, '{"type":"point"}'), { is: "point" });
  assert.equal(decode(shape, '{"type":"circle"}'), "missing field `radius`");
  assert.equal(decode(shape, "{}"), "missing field `type`");
  assert.equal(
    decode(shape, "[]"),
    "invalid type: sequence, expected internally tagged enum Shape",
  );
  assert.equal(decode(shape, '{"type":"x"}'), "unknown variant `x`, expected `circle` or `point`");
});

test("lists, records and base64 decode their parts", () => {
  assert.deepEqual(decode(list(string), '["a","b"]'), ["a", "b"]);
  assert.deepEqual(decode(record(string), '{"a":"b"}'), new Map([["a", "b"]]));
  assert.equal(decode(list(string), "{}"), "invalid type: map, expected a sequence");
  assert.equal(decode(record(string), "[]"), "invalid type: sequence, expected a map");
  assert.deepEqual(decode(base64, '"aGk="'), Buffer.from("hi"));
});

test("what is quoted back is short, whatever was sent", () => {
  const answer = decode(oneOf("a"), JSON.stringify("x".repeat(1_000_000)));
  assert.ok(String(answer).length < 1000);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase64, encodeBase64 } from "../../../src/exec-server/base64.ts";

function complaint(encoded: string): string {
  try {
    decodeBase64(encoded);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
}

test("bytes come back as they were", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(new Uint8Array(decodeBase64(encodeBase64(bytes))), bytes);
    }),
  );
});

test("only what encodes some bytes is accepted", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."AQgYw4+/=-_ é"), maxLength: 9 }), (text) => {
      const canonical = Buffer.from(text, "base64").toString("base64") === text;
      assert.equal(complaint(text) === "none", canonical, text);
    }),
  );
});

test("the first fault is named by symbol and offset", () => {
  const faults = {
    "!!": "Invalid symbol 33, offset 0.",
    YQ: "Invalid padding",
    "YQ=": "Invalid padding",
    Y: "Invalid input length: 1",
    "YR==": "Invalid last symbol 82, offset 1.",
    "YWJj YQ==": "Invalid symbol 32, offset 4.",
    "YWJ=YQ==": "Invalid symbol 61, offset 3.",
    "=": "Invalid symbol 61, offset 0.",
    "YQ===": "Invalid symbol 61, offset 2.",
    YWJjé: "Invalid symbol 195, offset 4.",
    "YWJj_-==": "Invalid symbol 95, offset 4.",
  };
  const found = Object.fromEntries(Object.keys(faults).map((text) => [text, complaint(text)]));
  assert.deepEqual(found, faults);
});

import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { describe, test } from "node:test";
import fc from "fast-check";
import { utf8Fault } from "../../../src/patch/match/utf8.ts";

/** Recorded from the original. */
const FAULTS: Record<string, string> = {
  c3: "incomplete utf-8 byte sequence from index 0",
  "61e282": "incomplete utf-8 byte sequence from index 1",
  f09f98: "incomplete utf-8 byte sequence from index 0",
  e228a1: "invalid utf-8 sequence of 1 bytes from index 0",
  f09028bc: "invalid utf-8 sequence of 2 bytes from index 0",
  f0908c28: "invalid utf-8 sequence of 3 bytes from index 0",
  c080: "invalid utf-8 sequence of 1 bytes from index 0",
  eda080: "invalid utf-8 sequence of 1 bytes from index 0",
  f4908080: "invalid utf-8 sequence of 1 bytes from index 0",
  "6f6b80": "invalid utf-8 sequence of 1 bytes from index 2",
  e09f: "invalid utf-8 sequence of 1 bytes from index 0",
  e28261: "invalid utf-8 sequence of 2 bytes from index 0",
  f5: "invalid utf-8 sequence of 1 bytes from index 0",
  c3c3: "invalid utf-8 sequence of 1 bytes from index 0",
  fffe6100: "invalid utf-8 sequence of 1 bytes from index 0",
};

describe("bytes that are not UTF-8", () => {
  for (const [hex, fault] of Object.entries(FAULTS)) {
    test(`${hex} is ${fault}`, () => assert.equal(utf8Fault(Buffer.from(hex, "hex")), fault));
  }

  test("what comes before the fault is UTF-8, and does not go on with it", () => {
    const bytes = fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xed, 0xa0, 0xf0, 0x9f, 0xf4);
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 8 }), (list) => {
        const text = Buffer.from(list);
        const fault = utf8Fault(text);
        assert.equal(fault === null, isUtf8(text));
        const at = Number(fault?.match(/index (\d+)$/)?.[1] ?? text.length);
        assert.equal(isUtf8(text.subarray(0, at)), true);
        const longer = [1, 2, 3, 4].filter((more) => isUtf8(text.subarray(0, at + more)));
        assert.deepEqual(fault === null ? [] : longer, []);
      }),
      { numRuns: 2000 },
    );
  });
});

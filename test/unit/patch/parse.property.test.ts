import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PatchSyntaxError } from "../../../src/patch/failure.ts";
import type { Patch } from "../../../src/patch/operation.ts";
import { PatchStream, parsePatch } from "../../../src/patch/read/stream.ts";
import { anyPatch } from "./support/arbitraries.ts";
import { fixtures } from "./support/fixture.ts";
import { printPatch } from "./support/print.ts";
import { Random } from "./support/random.ts";
import { SCENARIOS } from "./support/scenarios.ts";

test("a patch that is printed reads as itself", () => {
  fc.assert(
    fc.property(anyPatch, (patch) => assert.deepEqual(parsePatch(printPatch(patch)), patch)),
  );
});

test("a patch in pieces reads as a whole, wherever it is cut", () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
  const texts = fc.oneof(
    anyPatch.map(printPatch),
    fc.integer().map((seed) => SCENARIOS.grammar?.(new Random(seed)).patch ?? ""),
  );
  fc.assert(
    fc.property(texts, cuts, (text, at) => {
      assert.deepEqual(
        read(() => inPieces(text, at)),
        read(() => parsePatch(text)),
      );
    }),
    { numRuns: 1000 },
  );
});

test("every recorded patch reads the same for every single cut, and letter by letter", async () => {
  for (const { patch, name } of await fixtures()) {
    const text = patch.toString();
    if (text.length > 2000) continue;
    const whole = read(() => parsePatch(text));
    for (let cut = 0; cut <= text.length; cut++) {
      assert.deepEqual(
        read(() => joined([text.slice(0, cut), text.slice(cut)])),
        whole,
        name,
      );
    }
    assert.deepEqual(
      read(() => joined([...text])),
      whole,
      name,
    );
  }
});

test("what a stream shows on the way is the beginning of what it ends with", () => {
  fc.assert(
    fc.property(anyPatch, (patch) => {
      const stream = new PatchStream();
      for (const char of printPatch(patch)) {
        stream.push(char);
        const { operations } = stream.patch;
        const complete = operations.slice(0, -1);
        assert.deepEqual(complete, patch.operations.slice(0, complete.length));
      }
      assert.deepEqual(stream.finish(), patch);
    }),
    { numRuns: 30 },
  );
});

function inPieces(text: string, cuts: readonly number[]): Patch {
  const at = cuts.map((cut) => Math.round(cut * text.length)).sort((a, b) => a - b);
  return joined([...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end)));
}

function joined(pieces: readonly string[]): Patch {
  const stream = new PatchStream();
  for (const piece of pieces) stream.push(piece);
  return stream.finish();
}

/** What was read, or how it was refused. */
function read(parse: () => Patch): Patch | string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof PatchSyntaxError) return error.message;
    throw error;
  }
}

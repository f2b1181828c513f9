import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { EffectivePolicy } from "../../../src/contract/policy.ts";
import { mayWrite, meet } from "../../../src/policy/index.ts";

const segment = fc.constantFrom("a", "b", ".git", ".aws");
const path = fc
  .array(segment, { maxLength: 4 })
  .map((segments) => (segments.length === 0 ? "/" : `/${segments.join("/")}`));
const protectedNames = fc.uniqueArray(fc.constantFrom(".git", ".aws"));
const policy: fc.Arbitrary<EffectivePolicy> = fc.record({
  preset: fc.constantFrom(
    "read-only" as const,
    "workspace-write" as const,
    "external-sandbox" as const,
    "danger-full-access" as const,
  ),
  files: fc.record({
    write: fc.oneof(fc.constant("all" as const), fc.uniqueArray(path, { maxLength: 4 })),
    protected_names: protectedNames,
  }),
  network: fc.constantFrom("on" as const, "off" as const),
});

type Three = [EffectivePolicy, EffectivePolicy, EffectivePolicy];

function protecting({ files, ...rest }: EffectivePolicy, names: string[]): EffectivePolicy {
  return { ...rest, files: { ...files, protected_names: names } };
}

describe("the meet of two policies", () => {
  test("allows no write that either refuses", () => {
    fc.assert(
      fc.property(policy, policy, path, (a, b, where) => {
        if (!mayWrite(meet(a, b), where)) return;
        assert.ok(mayWrite(a, where) && mayWrite(b, where));
      }),
      { numRuns: 20000 },
    );
  });

  test("is commutative", () => {
    fc.assert(fc.property(policy, policy, (a, b) => assert.deepEqual(meet(a, b), meet(b, a))));
  });

  test("is idempotent in what it allows", () => {
    fc.assert(
      fc.property(policy, path, (a, where) =>
        assert.equal(mayWrite(meet(a, a), where), mayWrite(a, where)),
      ),
    );
  });

  test("is associative in what it allows, where all protect the same names", () => {
    fc.assert(
      fc.property(policy, policy, policy, protectedNames, path, (a, b, c, names, where) => {
        const [x, y, z] = [a, b, c].map((each) => protecting(each, names)) as Three;
        assert.equal(mayWrite(meet(meet(x, y), z), where), mayWrite(meet(x, meet(y, z)), where));
      }),
      { numRuns: 50000 },
    );
  });

  // A name that one policy protects in its own roots is protected in the roots of all from then on.
  test("is never wider than any of three, in whatever order they meet", () => {
    fc.assert(
      fc.property(policy, policy, policy, path, (a, b, c, where) => {
        const allowing = [a, b, c].every((each) => mayWrite(each, where));
        for (const all of [meet(meet(a, b), c), meet(a, meet(b, c)), meet(meet(c, a), b)]) {
          assert.ok(allowing || !mayWrite(all, where));
        }
      }),
      { numRuns: 20000 },
    );
  });

  test("an empty list of roots never becomes everything", () => {
    fc.assert(
      fc.property(policy, path, (a, where) => {
        const nothing = { ...a, files: { write: [], protected_names: [] } };
        assert.equal(mayWrite(meet(a, nothing), where), false);
      }),
    );
  });
});

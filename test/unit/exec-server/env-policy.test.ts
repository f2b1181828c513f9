import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { childVariables, type EnvPolicy } from "../../../src/exec-server/env-policy.ts";

const OWN = {
  PATH: "/bin",
  HOME: "/home/u",
  Lang: "C",
  PROBE_PLAIN: "plain",
  PROBE_SECRET: "s",
  PROBE_MONKEY: "m",
  probe_token_x: "t",
};

function variables(policy: Partial<EnvPolicy> | null, overlay: Record<string, string> = {}) {
  const whole = {
    inherit: "all",
    ignoreDefaultExcludes: false,
    exclude: [],
    set: {},
    includeOnly: [],
  };
  return childVariables({
    policy: policy === null ? null : ({ ...whole, ...policy } as EnvPolicy),
    own: OWN,
    overlay,
    terminalShell: null,
  });
}

test("ES-05: without a policy a child gets the overlay and nothing else", () => {
  assert.deepEqual(variables(null, { A: "1" }), { A: "1" });
});

test("ES-05: names that look like secrets are not inherited", () => {
  assert.deepEqual(variables({ includeOnly: ["PROBE_*"] }), { PROBE_PLAIN: "plain" });
  assert.deepEqual(variables({ includeOnly: ["probe_*"], ignoreDefaultExcludes: true }), {
    PROBE_PLAIN: "plain",
    PROBE_SECRET: "s",
    PROBE_MONKEY: "m",
    probe_token_x: "t",
  });
});

test("core is a list of names without case", () => {
  assert.deepEqual(variables({ inherit: "core" }), { PATH: "/bin", HOME: "/home/u", Lang: "C" });
});

test("the steps apply in order: exclude, set, includeOnly, and the overlay wins", () => {
  assert.deepEqual(
    variables(
      {
        ignoreDefaultExcludes: true,
        exclude: ["probe_s*", "PROBE_??????"],
        set: { HOME: "/set", DROP: "2", A_KEY: "kept" },
        includeOnly: ["H?ME", "*_KEY", "PROBE_*"],
      },
      { HOME: "/overlay", MY_TOKEN: "kept" },
    ),
    { HOME: "/overlay", A_KEY: "kept", PROBE_PLAIN: "plain", probe_token_x: "t", MY_TOKEN: "kept" },
  );
});

test("credentials of the protocol's own clients never reach a child", () => {
  const overlay = { OPENAI_IDENTITY_TOKEN_FILE: "x", node_repl_auth_token: "x", OK: "1" };
  assert.deepEqual(variables(null, overlay), { OK: "1" });
});

test("a terminal gets SHELL when nobody has set it", () => {
  const base = { policy: null, own: OWN, terminalShell: "/bin/bash" };
  assert.deepEqual(childVariables({ ...base, overlay: {} }), { SHELL: "/bin/bash" });
  assert.deepEqual(childVariables({ ...base, overlay: { SHELL: "/x" } }), { SHELL: "/x" });
});

test("patterns match as the textbook matches them", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."ab"), maxLength: 8 });
  const patterns = fc.string({ unit: fc.constantFrom(..."ab*?"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(letters, patterns, (name, pattern) => {
      const expression = pattern.replaceAll("*", ".*").replaceAll("?", ".");
      const own = { [name]: "v" };
      const policy: EnvPolicy = {
        inherit: "all",
        ignoreDefaultExcludes: true,
        exclude: [],
        set: {},
        includeOnly: [pattern],
      };
      const kept = childVariables({ policy, own, overlay: {}, terminalShell: null });
      assert.equal(Object.hasOwn(kept, name), new RegExp(`^${expression}$`).test(name));
    }),
  );
});

test("brackets in patterns are letters", () => {
  const own = { "[ab]": "1", a: "2" };
  const policy: EnvPolicy = {
    inherit: "all",
    ignoreDefaultExcludes: true,
    exclude: [],
    set: {},
    includeOnly: ["[ab]"],
  };
  assert.deepEqual(childVariables({ policy, own, overlay: {}, terminalShell: null }), {
    "[ab]": "1",
  });
});

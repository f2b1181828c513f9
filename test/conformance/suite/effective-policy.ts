import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EffectivePolicy } from "../../../src/contract/policy.ts";
import type { TestEnvironment } from "../../support/placement-environment.ts";
import { launch, type Target, useEnvironment } from "../../support/placement-target.ts";
import {
  FULL_ACCESS,
  READ_ONLY,
  WORKSPACE_WRITE,
  withNetwork,
  writing,
} from "../../support/policies.ts";

/** Probes the kernel: which of these folders can be written, and is there a way out of the machine? */
const PROBE = `
for folder in /workspace /workspace/sub /tmp "$HOME" /usr /etc /; do
  if (echo x > "$folder/.probe") 2>/dev/null; then echo "$folder"; rm "$folder/.probe"; fi
done
[ "$(ls /sys/class/net 2>/dev/null | wc -l)" -le 1 ] || echo network`;

interface Case {
  readonly asked: string;
  readonly request: EffectivePolicy | undefined;
  readonly effective: EffectivePolicy;
  readonly writes: readonly string[];
}

const ALL = ["/workspace", "/workspace/sub", "/tmp"];

const CASES: readonly Case[] = [
  { asked: "nothing", request: undefined, effective: WORKSPACE_WRITE, writes: ALL },
  { asked: "the same", request: WORKSPACE_WRITE, effective: WORKSPACE_WRITE, writes: ALL },
  { asked: "read-only", request: READ_ONLY, effective: READ_ONLY, writes: [] },
  {
    asked: "read-only with the network",
    request: withNetwork(READ_ONLY),
    effective: READ_ONLY,
    writes: [],
  },
  {
    asked: "one root of two",
    request: writing("/tmp"),
    effective: writing("/tmp"),
    writes: ["/tmp"],
  },
  {
    asked: "a folder inside a root",
    request: writing("/workspace/sub"),
    effective: writing("/workspace/sub"),
    writes: ["/workspace/sub"],
  },
  {
    asked: "no root",
    request: writing(),
    effective: writing(),
    writes: [],
  },
  {
    asked: "the whole tree as a root",
    request: withNetwork(writing("/")),
    effective: WORKSPACE_WRITE,
    writes: ALL,
  },
  {
    asked: "roots outside",
    request: writing("/etc", "/usr", "/home"),
    effective: writing(),
    writes: [],
  },
  { asked: "full access", request: FULL_ACCESS, effective: WORKSPACE_WRITE, writes: ALL },
  {
    asked: "no protected names",
    request: { ...WORKSPACE_WRITE, files: { ...WORKSPACE_WRITE.files, protected_names: [] } },
    effective: WORKSPACE_WRITE,
    writes: ALL,
  },
];

export function effectivePolicy(target: Target): void {
  describe("the effective policy", () => {
    const environment = useEnvironment(target);

    for (const { asked, request, effective, writes } of CASES) {
      test(`PO-02: who asks for ${asked} gets the meet, said and enforced`, async () => {
        await environment().sh("mkdir -p /workspace/sub");
        assert.deepEqual(await probe(environment(), request), { effective, writes });
      });
    }

    test("an environment with the network gives a command none that asks for none", async () => {
      await using open = await launch(target, { policy: withNetwork(WORKSPACE_WRITE) });
      const asked = await open.sh("true", { policy: WORKSPACE_WRITE });
      const kept = await open.sh("true", { policy: withNetwork(WORKSPACE_WRITE) });
      assert.deepEqual([asked.process.policy.network, kept.process.policy.network], ["off", "on"]);
    });

    test("a read-only environment stays so, whatever is asked", async () => {
      await using readOnly = await launch(target, { policy: READ_ONLY });
      for (const request of [WORKSPACE_WRITE, FULL_ACCESS, undefined]) {
        assert.deepEqual(await probe(readOnly, request), { effective: READ_ONLY, writes: [] });
      }
    });

    test("tools return the policy that held", async () => {
      const result = await environment().exec({ cmd: "touch /workspace/x", policy: READ_ONLY });
      assert.deepEqual(result.policy, READ_ONLY);
      assert.match(result.output, /Read-only file system/);
    });
  });
}

async function probe(environment: TestEnvironment, request: EffectivePolicy | undefined) {
  const { process, stdout } = await environment.sh(PROBE, request ? { policy: request } : {});
  return { effective: process.policy, writes: stdout.split("\n").filter(Boolean) };
}

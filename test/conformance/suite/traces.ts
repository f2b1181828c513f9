import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../support/host-processes.ts";
import type { TestEnvironment } from "../../support/placement-environment.ts";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { READ_ONLY, writing } from "../../support/policies.ts";

const COMMANDS = 100;
const AT_ONCE = 10;
const POLICIES = [undefined, READ_ONLY, writing("/workspace/src", "/tmp")];

export function traces(target: Target): void {
  describe("traces", () => {
    const environment = useEnvironment(target);

    test("PO-08: of 100 commands, every third killed on its way, nothing stays", async () => {
      await environment().put("/workspace", [
        { name: ".git", type: "directory", mode: 0o755 },
        { name: ".git/HEAD", content: "ref: refs/heads/main\n" },
        { name: ".aws", type: "directory", mode: 0o700 },
        { name: "src", type: "directory", mode: 0o755 },
        { name: "src/main.c", content: "int main;", mode: 0o755 },
      ]);
      const before = await contents(environment());
      for (let count = 0; count < COMMANDS; count += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => one(environment(), count + index)),
        );
      }
      assert.deepEqual(await contents(environment()), before);
      await eventually("the last guard is gone", async () => {
        const { stdout } = await environment().sh("ls -A /workspace /tmp", { policy: READ_ONLY });
        return stdout === "/tmp:\n\n/workspace:\n.aws\n.git\nsrc\n";
      });
    });
  });
}

async function one(environment: TestEnvironment, index: number): Promise<void> {
  const policy = POLICIES[index % POLICIES.length];
  const started = await environment.startSh("sleep 0.0$(($$ % 10))", policy ? { policy } : {});
  if (index % 3 === 0) {
    await sleep(index % 20);
    await environment.terminate(started, index % 2);
  }
  await environment.readToEnd(started);
}

async function contents(environment: TestEnvironment) {
  const folders = ["/workspace", "/tmp", "/home/outwork"];
  return Promise.all(folders.map((folder) => environment.get(folder)));
}

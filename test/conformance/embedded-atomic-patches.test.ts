import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ResolvedApplyPatch } from "../../src/contract/agent.ts";
import { foldersOf } from "../../src/placements/embedded/folders.ts";
import { processesWith } from "../support/host-processes.ts";
import { type EmbeddedTarget, openEmbeddedTarget } from "../support/placement-embedded.ts";
import type { TestEnvironment } from "../support/placement-environment.ts";
import { useEnvironment, useTarget } from "../support/placement-target.ts";

/** Enough of them that a patch takes a while. */
const FILES = 400;
/** How long after the start of a patch its helper is killed, in milliseconds. */
const MOMENTS_MS = [0, 5, 20, 40, 80, 120, 200, 300, 500];

const names: readonly string[] = Array.from({ length: FILES }, (_, index) => `f${index}`);

/** Changes every file from one text to another, and adds one file. */
function patchOf(from: string, to: string): string {
  const updates = names.map((name) => `*** Update File: ${name}\n@@\n-${from}\n+${to}`);
  const added = `*** Add File: new/${to}\n+${to}`;
  return ["*** Begin Patch", ...updates, added, "*** End Patch"].join("\n");
}

describe("an atomic patch", () => {
  const target = useTarget(openEmbeddedTarget);
  const environment = useEnvironment(target);
  const folders = () => foldersOf((target() as EmbeddedTarget).stateFolder, environment().id);

  test("has happened wholly or not at all, whenever its helper is killed", async () => {
    await environment().put(
      "/workspace",
      names.map((name) => ({ name, content: "0\n" })),
    );
    let text = "0";
    const outcomes = new Set<string>();
    for (const [round, ms] of MOMENTS_MS.entries()) {
      const next = `${round + 1}`;
      const patching = patch(environment(), patchOf(text, next)).then(
        ({ exit_code }) => exit_code,
        () => "cut short",
      );
      await sleep(ms);
      killHelpers(folders().agentConfig);
      const outcome = await patching;
      const found = await textsIn(folders().workspace);
      assert.equal(found.size, 1, `${outcome}: ${[...found]}`);
      const [now = ""] = found;
      const isDone = now === next;
      assert.ok(isDone || (now === text && outcome === "cut short"), `${outcome}: ${now}`);
      const added = await readdir(join(folders().workspace, "new")).catch(() => [] as string[]);
      assert.equal(new Set<string>(added).has(next), isDone);
      outcomes.add(String(outcome));
      text = now;
    }
    assert.ok(outcomes.has("cut short"), [...outcomes].join());
    const journals = join(folders().run, "journals");
    const left = readdirSync(journals).flatMap((name) => readdirSync(join(journals, name)));
    assert.deepEqual(left, []);
  });
});

function patch(environment: TestEnvironment, text: string) {
  const asked = ResolvedApplyPatch.parse({ patch: text, options: { atomic: true } });
  return environment.call("outwork/apply_patch", asked);
}

/** The text of every file; what a patch leaves beside them counts as well. */
async function textsIn(workspace: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(workspace, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const leavings = files.filter((name) => !names.includes(name));
  const texts = names.map(async (name) => (await readFile(join(workspace, name), "utf8")).trim());
  return new Set([...leavings, ...(await Promise.all(texts))]);
}

function killHelpers(agentConfig: string): void {
  for (const pid of helpersOf(agentConfig)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
    }
  }
}

/** Processes below an agent, which is known by its configuration file, innermost first. */
function helpersOf(agentConfig: string): number[] {
  const agents = processesWith(agentConfig);
  const below = new Set(agents);
  const pids = readdirSync("/proc")
    .map(Number)
    .filter(Boolean)
    .sort((a, b) => a - b);
  for (const pid of pids) if (below.has(parentOf(pid))) below.add(pid);
  return [...below].filter((pid) => !agents.includes(pid)).reverse();
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  } catch {
    return 0;
  }
}

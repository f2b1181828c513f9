import assert from "node:assert/strict";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { patched, patchedIn, patchOf } from "./support/patched.ts";
import { temporaryFolder } from "./support/tree.ts";

const CHUNKS = 5000;

/** As many lines of fifty bytes as fifty megabytes hold. */
function manyLines(line: (at: number) => string): string[] {
  return Array.from({ length: 1_000_000 }, (_, at) => line(at).padEnd(49, "."));
}

/** Whether texts are equal, told in few words when they are long. */
function assertSame(actual: string | undefined, expected: string): void {
  if (actual === expected) return;
  assert.fail(`${actual?.length} characters that differ from the ${expected.length} expected`);
}

describe("large inputs, in time and memory that grow no faster than they do", () => {
  test("fifty megabytes with five thousand chunks", async (t) => {
    const lines = manyLines((at) => `line ${at} `);
    const chunks = Array.from({ length: CHUNKS }, (_, chunk) => {
      const at = chunk * 199 + 7;
      return ["@@", ` ${lines[at - 1]}`, `-${lines[at]}`, `+changed ${chunk}`, ` ${lines[at + 1]}`];
    });
    const patch = patchOf("*** Update File: f", ...chunks.flat());
    const { failure, tree } = await patched(t, { f: `${lines.join("\n")}\n` }, patch);
    for (let chunk = 0; chunk < CHUNKS; chunk++) lines[chunk * 199 + 7] = `changed ${chunk}`;
    assert.equal(failure, null);
    assertSame(tree.f, `${lines.join("\n")}\n`);
  });

  test("five thousand chunks that fit only loosely, in many places", async (t) => {
    const lines = manyLines((at) => `  part ${at % 1000}`);
    const chunks = Array.from({ length: CHUNKS }, (_, chunk) => {
      return ["@@", `-${lines[chunk % 1000]?.trim()}`, `+changed ${chunk}`];
    });
    const patch = patchOf("*** Update File: f", ...chunks.flat());
    const { failure, changes, tree } = await patched(t, { f: `${lines.join("\n")}\n` }, patch);
    for (let chunk = 0; chunk < CHUNKS; chunk++) lines[chunk] = `changed ${chunk}`;
    assert.equal(failure, null);
    assert.deepEqual(changes[0]?.matched.at(-1), {
      chunk: CHUNKS,
      line: CHUNKS,
      stage: 3,
      candidates: 1000,
    });
    assertSame(tree.f, `${lines.join("\n")}\n`);
  });

  test("a million near misses before five thousand chunks", async (t) => {
    const near = Array.from({ length: 500_000 }, () => "a\nb\n").join("");
    const chunks = Array.from({ length: CHUNKS }, (_, chunk) => ["@@", " a", "-a", `+${chunk}`]);
    const patch = patchOf("*** Update File: f", ...chunks.flat());
    const { failure, tree } = await patched(t, { f: near + "a \n".repeat(2 * CHUNKS) }, patch);
    const changed = Array.from({ length: CHUNKS }, (_, chunk) => `a \n${chunk}\n`).join("");
    assert.equal(failure, null);
    assertSame(tree.f, near + changed);
  });

  test("a line of twenty megabytes, exact and with white space at its ends", async (t) => {
    const long = "x".repeat(20_000_000);
    const patch = patchOf("*** Update File: f", `-${long}`, "+short");
    const exact = await patched(t, { f: `${long}\n` }, patch);
    const loose = await patched(t, { f: `${" ".repeat(1_000_000)}${long}\t\n` }, patch);
    assert.deepEqual([exact.tree, loose.tree], [{ f: "short\n" }, { f: "short\n" }]);
  });

  test("ten thousand files", async (t) => {
    const cwd = await temporaryFolder(t);
    const names = Array.from({ length: 10_000 }, (_, at) => `d${at % 100}/f${at}`);
    const added = names.flatMap((name) => [`*** Add File: ${name}`, `+${name}`]);
    const updated = names.flatMap((name) => [`*** Update File: ${name}`, `-${name}`, "+new"]);
    await patchedIn(cwd, patchOf(...added));
    const { failure, changes } = await patchedIn(cwd, patchOf(...updated));
    assert.deepEqual({ failure, changes: changes.length }, { failure: null, changes: 10_000 });
    assert.equal(await fs.readFile(join(cwd, "d99/f9999"), "utf8"), "new\n");
  });
});

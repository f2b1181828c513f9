import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Program } from "../../../../src/contract/agent.ts";
import { collectToolbox } from "../../../../src/placements/toolbox/collect.ts";
import { installToolbox, programAt } from "../../../../src/placements/toolbox/install.ts";
import { temporaryFolder } from "../../../support/tree.ts";

const execute = promisify(execFile);

test("the toolbox runs with nothing of the host's libraries", async (t) => {
  const toolbox = await collectToolbox();
  const folder = await installToolbox(toolbox, await temporaryFolder(t));
  const run = async (program: Program, ...args: string[]) => {
    const [path = "", ...prefix] = programAt(folder, program);
    return (await execute(path, [...prefix, ...args], { env: {} })).stdout;
  };
  const { node, bwrap } = toolbox.programs;
  const script = 'process.stdout.write(require("fs").readFileSync("/proc/self/maps", "utf8"))';
  const mapped = (await run(node, "-e", script)).match(/\/\S+\.so\S*/g) ?? [];
  const foreign = mapped.filter((path) => !path.startsWith(folder));
  assert.deepEqual([mapped.length > 0, foreign], [true, []]);
  assert.match(await run(bwrap, "--version"), /^bubblewrap /);
});

test("what a command's wrapper needs lies in the one folder that commands see", async (t) => {
  const toolbox = await collectToolbox();
  const folder = await installToolbox(toolbox, await temporaryFolder(t));
  for (const name of ["rg", "apply_patch", "applypatch"]) {
    const wrapper = await readFile(join(folder, "bin", name), "utf8");
    const paths = wrapper.match(/(?<=\s|!)\/\S+/g) ?? [];
    const outside = paths.filter((path) => !/^\/bin\/sh$|^\/\.outwork\/bin\//.test(path));
    assert.deepEqual([outside, wrapper.startsWith("#!/bin/sh\n")], [[], true]);
  }
  assert.ok(toolbox.programs.setsid.every((word) => !word.includes("/.outwork/toolbox/")));
});

test("a loader of the toolbox reads no preload file", async () => {
  const { files } = await collectToolbox();
  const loaders = files.filter(({ path }) => /(^|\/)lib\/ld-/.test(path));
  const texts = loaders.map(({ content }) =>
    "bytes" in content ? content.bytes : Buffer.from("?"),
  );
  const reading = texts.map((bytes) => /ld\.so\.preload|\?$/.test(bytes.toString("latin1")));
  assert.deepEqual(reading, [false, false]);
});

test("the same host gives the same toolbox", async () => {
  const [first, second] = await Promise.all([collectToolbox(), collectToolbox()]);
  assert.deepEqual(first, second);
});

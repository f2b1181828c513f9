import assert from "node:assert/strict";
import { chmod, mkdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FakeService } from "../support/fake-service.ts";
import { type CliOptions, runCli } from "../support/outwork-cli.ts";
import { readTree, temporaryFolder } from "../support/tree.ts";

const OLD = new Date("2001-02-03T04:05:06Z");

/** A service whose environment `env_1` has its files below `there`, and a folder `here`. */
async function twoSides(t: TestContext) {
  const folder = await temporaryFolder(t);
  const [there, here] = [join(folder, "there"), join(folder, "here")];
  await mkdir(join(there, "workspace"), { recursive: true });
  await mkdir(here);
  const service = await FakeService.open({ files: there });
  service.add("env_1");
  t.after(() => service[Symbol.asyncDispose]());
  const cp = (args: readonly string[], options: CliOptions = {}) =>
    runCli(["cp", "--url", service.url, ...args], options);
  return { there, here, cp };
}

/** A program, a folder with a file in it, a link, and an old time. */
async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, "deep", "er"), { recursive: true });
  await writeFile(join(folder, "run.sh"), "#!/bin/sh\n");
  await chmod(join(folder, "run.sh"), 0o755);
  await utimes(join(folder, "run.sh"), OLD, OLD);
  await writeFile(join(folder, "deep", "er", "é.txt"), "é".repeat(100_000));
  await symlink("deep/er", join(folder, "link"));
}

const DONE = { code: 0, stdout: "", stderr: "" };

test("a folder goes in and comes out with modes, links and times", async (t) => {
  const { there, here, cp } = await twoSides(t);
  await fill(join(here, "app"));
  const wanted = await readTree(join(here, "app"));
  assert.deepEqual(await cp([join(here, "app"), "env_1:/workspace/copy"]), DONE);
  assert.deepEqual(await readTree(join(there, "workspace", "copy")), wanted);
  assert.deepEqual(await cp(["env_1:copy", join(here, "back")]), DONE);
  assert.deepEqual(await readTree(join(here, "back")), wanted);
});

test("into a folder that exists the copy goes under its own name", async (t) => {
  const { there, here, cp } = await twoSides(t);
  await writeFile(join(here, "a.txt"), "a");
  await mkdir(join(here, "folder"));
  await writeFile(join(here, "folder", "b.txt"), "b");
  assert.deepEqual(await cp([join(here, "a.txt"), "env_1:"]), DONE);
  assert.deepEqual(await cp([join(here, "folder"), "env_1:/workspace"]), DONE);
  assert.deepEqual(await cp([join(here, "a.txt"), "env_1:new/"]), DONE);
  assert.equal(await readFile(join(there, "workspace/a.txt"), "utf8"), "a");
  assert.equal(await readFile(join(there, "workspace/folder/b.txt"), "utf8"), "b");
  assert.equal(await readFile(join(there, "workspace/new/a.txt"), "utf8"), "a");
  await mkdir(join(here, "out"));
  assert.deepEqual(await cp(["env_1:folder", join(here, "out")]), DONE);
  assert.deepEqual(await cp(["env_1:a.txt", join(here, "out")]), DONE);
  assert.equal(await readFile(join(here, "out/folder/b.txt"), "utf8"), "b");
  assert.equal(await readFile(join(here, "out/a.txt"), "utf8"), "a");
});

test("a name that is not there yet is the name of the copy", async (t) => {
  const { there, here, cp } = await twoSides(t);
  await writeFile(join(here, "a.txt"), "a");
  assert.deepEqual(await cp([join(here, "a.txt"), "env_1:b.txt"]), DONE);
  assert.equal(await readFile(join(there, "workspace/b.txt"), "utf8"), "a");
  assert.deepEqual(await cp(["env_1:b.txt", join(here, "deep/c.txt")]), DONE);
  assert.equal(await readFile(join(here, "deep/c.txt"), "utf8"), "a");
});

test("a source that ends in `.` is what is in the folder", async (t) => {
  const { there, here, cp } = await twoSides(t);
  await mkdir(join(here, "app"));
  await writeFile(join(here, "app", "a.txt"), "a");
  assert.deepEqual(await cp([`${here}/app/.`, "env_1:"]), DONE);
  assert.equal(await readFile(join(there, "workspace/a.txt"), "utf8"), "a");
  assert.deepEqual(await cp(["env_1:", join(here, "app")]), DONE);
  assert.deepEqual(await cp(["env_1:.", join(here, "fresh")]), DONE);
  assert.equal(await readFile(join(here, "fresh/a.txt"), "utf8"), "a");
});

test("`-` is a tar stream, which comes out as it goes in", async (t) => {
  const { there, here, cp } = await twoSides(t);
  await writeFile(join(here, "a.txt"), "a");
  await cp([join(here, "a.txt"), "env_1:in/a.txt"]);
  const { stdout } = await cp(["env_1:in", "-"]);
  assert.deepEqual(await cp(["-", "env_1:out"], { input: stdout }), DONE);
  assert.deepEqual(
    await readTree(join(there, "workspace/out")),
    await readTree(join(there, "workspace/in")),
  );
});

test("--json says what was copied", async (t) => {
  const { here, cp } = await twoSides(t);
  await writeFile(join(here, "a.txt"), "a");
  const { stdout } = await cp(["--json", join(here, "a.txt"), "env_1:"]);
  const { entries, bytes } = JSON.parse(stdout);
  assert.deepEqual({ entries, bytes }, { entries: 1, bytes: 2_048 });
});

test("what cannot be copied is said in one line", async (t) => {
  const { there, here, cp } = await twoSides(t);
  const failures = [
    await cp([join(here, "nope"), "env_1:"]),
    await cp(["env_1:nope", here]),
    await cp(["env_2:a", here]),
    await cp([here, here]),
    await cp(["env_1:a"]),
    await cp(["-", "env_1:x"], { input: "this is no tar" }),
  ];
  assert.deepEqual(
    failures.map(
      ({ code, stderr }) => `${code} ${stderr.replaceAll(here, "HERE").replaceAll(there, "THERE")}`,
    ),
    [
      "1 outwork: `HERE/nope` does not exist here\n",
      "1 outwork: `THERE/workspace/nope` does not exist.\n",
      "3 outwork: there is no environment env_2\n  hint: `outwork env ls` lists the environments\n",
      "2 outwork: exactly one side must be in an environment, as ENV:PATH\n",
      "2 outwork: DESTINATION is missing\n",
      "1 outwork: The archive's start is followed by neither an entry nor the end mark: the stream is cut short, or no tar.\n",
    ],
  );
});

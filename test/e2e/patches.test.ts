import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Turn } from "../../src/client/index.ts";
import { Served } from "../support/served.ts";

const ADD = "*** Add File: a.txt\n+$HOME `id` \\\n";
const patch = (operations: string, before = "") =>
  `*** Begin Patch\n${before}${operations}*** End Patch`;

/** The real service with two environments, and what a model sees of them. */
async function turnOver(t: TestContext): Promise<Turn> {
  const served = await Served.start(t);
  const client = await served.client();
  t.after(() => client.close());
  for (const id of ["front", "back"]) await client.environments.create({ id });
  return client.turn(["front", "back"], { patches: true });
}

function shell(turn: Turn, args: Record<string, unknown>): Promise<string> {
  return turn.dispatch({ name: "exec_command", arguments: JSON.stringify(args) });
}

test("what a model asks a shell to patch is patched, as text that no shell has expanded", async (t) => {
  const turn = await turnOver(t);
  await shell(turn, { cmd: "mkdir sub" });
  const cmd = `cd sub && apply_patch <<X\n${patch(ADD)}\nX`;
  assert.equal(
    (await shell(turn, { cmd })).replace(/^Wall time: [\d.]+ seconds$/gm, "Wall time: …"),
    "Wall time: …\nOutput:\nExit code: 0\nWall time: …\nOutput:\n" +
      "Success. Updated the following files:\nA a.txt\n",
  );
  assert.match(await shell(turn, { cmd: "cat sub/a.txt" }), /\n\$HOME `id` \\\n$/);
  assert.equal(
    await shell(turn, {
      cmd: cmd
        .replace("Add File", "Delete File")
        .replace(/\n\+.*/, "")
        .replace("a.txt", "b"),
    }),
    "apply_patch verification failed: Failed to read /workspace/sub/b: " +
      "No such file or directory (os error 2)",
  );
  assert.match(
    await shell(turn, { cmd: patch(ADD) }),
    /^apply_patch verification failed: patch detected /,
  );
  const readOnly = { cmd, policy: { preset: "read-only" } };
  assert.match(await shell(turn, readOnly), /Failed to write file \/workspace\/sub\/a.txt\n$/);
});

test("a patch of a model is applied where its environment line says", async (t) => {
  const turn = await turnOver(t);
  const input = patch(ADD, "*** Environment ID: back\n");
  assert.match(await turn.dispatch({ name: "apply_patch", input }), /\nA a.txt\n$/);
  const listed = async (environment_id: string) =>
    (await shell(turn, { cmd: "ls", environment_id })).split("Output:\n")[1];
  assert.deepEqual([await listed("front"), await listed("back")], ["", "a.txt\n"]);
});

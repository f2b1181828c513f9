import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Outwork } from "../../src/client/index.ts";
import type { PatchPreview, PatchResult } from "../../src/contract/index.ts";
import { openService, TOKEN } from "../support/service.ts";

const DONE: PatchResult = {
  text: "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. …\n",
  exit_code: 0,
  changes: [],
  policy: { preset: "read-only", files: { write: [], protected_names: [] }, network: "off" },
};
const BODY = "*** Add File: a\n+1\n*** End Patch";
const PLAIN = `*** Begin Patch\n${BODY}`;
const named = (id: string) => `*** Begin Patch\n*** Environment ID: ${id}\n${BODY}`;

/** A service with two environments, both of which apply every patch. */
async function open(t: Parameters<typeof openService>[0]) {
  const service = await openService(t);
  const [front, back] = [await service.launch("front"), await service.launch("back")];
  for (const agent of [front, back]) agent.answer("outwork/apply_patch", () => DONE);
  const url = await service.listen();
  const outwork = new Outwork({ url, token: TOKEN });
  t.after(() => outwork.close());
  const asked = () => {
    const calls = { front: front.calls, back: back.calls };
    return Object.entries(calls).flatMap(([id, made]) =>
      made.map(({ params }) => {
        const { patch, environment_line } = params as { patch: string; environment_line: string };
        return { id, patch, environment_line };
      }),
    );
  };
  return { ...service, outwork, asked };
}

describe("a patch for a turn of several environments", () => {
  test("goes to the one that it names, or else to the first", async (t) => {
    const { outwork, asked } = await open(t);
    const environments = ["front", "back"];
    const first = await outwork.applyPatch({ patch: PLAIN, environments });
    const second = await outwork.applyPatch({ patch: named("back"), environments });
    assert.deepEqual(first, { ...DONE, environment_id: "front" });
    assert.deepEqual(second, { ...DONE, environment_id: "back" });
    assert.deepEqual(asked(), [
      { id: "front", patch: PLAIN, environment_line: "ignored" },
      { id: "back", patch: named("back"), environment_line: "ignored" },
    ]);
  });

  test("that names another is refused with a line, and applied nowhere", async (t) => {
    const { outwork, asked } = await open(t);
    const turn = outwork.turn(["front", "back"], { patches: true });
    const line = await turn.dispatch({ name: "apply_patch", input: named("elsewhere") });
    assert.equal(line, "unknown turn environment id `elsewhere`");
    assert.deepEqual(asked(), []);
  });

  test("and commands are told apart by name: a call of the wrong kind is answered, and does nothing", async (t) => {
    const { outwork, asked } = await open(t);
    const turn = outwork.turn(["front"], { patches: true });
    assert.equal(
      await turn.dispatch({ name: "apply_patch", arguments: PLAIN }),
      "unsupported call: apply_patch is the freeform tool of that name, whose call has `input`",
    );
    assert.equal(
      await turn.dispatch({ name: "exec_command", input: PLAIN }),
      "unsupported call: exec_command is the function of that name, whose call has `arguments`",
    );
    assert.deepEqual(asked(), []);
  });

  test("is left to the tool to judge when the turn has but one, or the patch is wrong", async (t) => {
    const { outwork, asked } = await open(t);
    const turn = outwork.turn(["back"], { patches: true });
    assert.equal(await turn.dispatch({ name: "apply_patch", input: named("back") }), DONE.text);
    await outwork.applyPatch({ patch: "no patch", environments: ["back", "front"] });
    assert.deepEqual(asked(), [
      { id: "back", patch: named("back"), environment_line: "refused" },
      { id: "back", patch: "no patch", environment_line: "ignored" },
    ]);
  });

  test("is one line as text, whatever becomes of it", async (t) => {
    const { send } = await open(t);
    const headers = { accept: "text/plain" };
    const sent = (patch: string) =>
      send({
        method: "POST",
        url: "/v1/apply_patch",
        headers,
        payload: { patch, environments: ["front", "back"] },
      });
    const [done, refused] = [await sent(PLAIN), await sent(named("none"))];
    assert.deepEqual([done.status, done.text], [200, DONE.text]);
    assert.deepEqual([refused.status, refused.text], [422, "unknown turn environment id `none`"]);
  });
});

describe("a preview", () => {
  test("answers while the patch is still being written", async (t) => {
    const { outwork } = await open(t);
    const seen: PatchPreview[][] = [];
    let isSeen = () => {};
    const firstSeen = new Promise<void>((resolve) => {
      isSeen = resolve;
    });
    async function* text() {
      yield "*** Begin Patch\n*** Add File: a\n+1";
      yield "\n+é\n";
      await firstSeen;
      yield "*** Update File: b\n@@ x\n-1\n+2\n*** End Patch";
    }
    for await (const changes of outwork.environment("front").previewPatch(text())) {
      seen.push(changes);
      isSeen();
    }
    const add = { kind: "add", path: "a" } as const;
    const update = { kind: "update", path: "b", destination: null, diff: "@@\n-1\n+2\n" } as const;
    const [first] = seen;
    assert.equal(first?.length, 1);
    assert.deepEqual(seen.at(-1), [{ ...add, content: "1\né\n" }, update]);
  });

  test("ends with the error of whoever writes it", async (t) => {
    const { outwork } = await open(t);
    async function* text() {
      yield "*** Begin Patch\n";
      await sleep(10);
      throw new Error("the model has stopped");
    }
    const previews = outwork.environment("front").previewPatch(text());
    await assert.rejects(previews.next(), { message: "the model has stopped" });
  });

  test("is of text, for an environment that is there", async (t) => {
    const { send } = await open(t);
    const preview = (id: string) => `/v1/environments/${id}/apply_patch/preview`;
    const json = await send({ method: "POST", url: preview("front"), payload: {} });
    const headers = { "content-type": "text/plain" };
    const gone = await send({ method: "POST", url: preview("gone"), headers, payload: PLAIN });
    assert.deepEqual([json.status, gone.status], [415, 404]);
  });
});

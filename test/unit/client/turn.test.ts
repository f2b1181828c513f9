import assert from "node:assert/strict";
import { test } from "node:test";
import { Outwork } from "../../../src/client/outwork.ts";
import { OutworkError } from "../../../src/errors.ts";
import { FAKE_POLICY } from "../../support/fake-process.ts";
import { FakeService, type ToolCall } from "../../support/fake-service.ts";

function running(session_id: number) {
  return { ...RESULT, session_id };
}

const RESULT = {
  chunk_id: "abc123",
  wall_time_seconds: 0,
  original_token_count: 0,
  output: "",
  policy: FAKE_POLICY,
};

function unknown(args: Record<string, unknown>): OutworkError {
  const message = `write_stdin failed: Unknown process id ${args.session_id}`;
  return new OutworkError("tool-failed", message);
}

/** A turn over `front` and `back`, whose tool calls are answered by `onTool`. */
async function turnOver(onTool: (call: ToolCall) => unknown) {
  const service = await FakeService.open({ onTool });
  service.add("front");
  service.add("back");
  const outwork = new Outwork({ url: service.url });
  const turn = outwork.turn(["front", "back"]);
  const dispatch = (name: string, args: unknown) =>
    turn.dispatch({ name, arguments: typeof args === "string" ? args : JSON.stringify(args) });
  const close = async () => {
    await outwork.close();
    await service[Symbol.asyncDispose]();
  };
  return { turn, dispatch, [Symbol.asyncDispose]: close };
}

test("several environments give exec_command an `environment_id`", async () => {
  await using over = await turnOver(() => undefined);
  const [execCommand] = over.turn.tools;
  assert.ok(execCommand?.type === "function" && execCommand.parameters.properties.environment_id);
});

test("a call for an environment outside the turn is answered with a line", async () => {
  await using over = await turnOver(() => assert.fail("nothing may run"));
  assert.equal(
    await over.dispatch("exec_command", { cmd: "ls", environment_id: "foo" }),
    "unknown turn environment id `foo`",
  );
});

test("arguments that do not parse are answered with a line", async () => {
  await using over = await turnOver(() => assert.fail("nothing may run"));
  assert.equal(
    await over.dispatch("exec_command", "{}"),
    "failed to parse function arguments: missing field `cmd` at line 1 column 2",
  );
});

test("a tool that the turn does not have is answered with a line", async () => {
  await using over = await turnOver(() => assert.fail("nothing may run"));
  assert.equal(
    await over.dispatch("read_file", {}),
    "unsupported call: read_file (this turn has exec_command and write_stdin)",
  );
});

test("a failed tool call is answered with its own line", async () => {
  await using over = await turnOver(({ args }) => {
    throw unknown(args);
  });
  assert.equal(
    await over.dispatch("write_stdin", { session_id: 77 }),
    "write_stdin failed: Unknown process id 77",
  );
});

test("a service that cannot be asked is the harness's business", async () => {
  await using over = await turnOver(() => {
    throw new OutworkError("not-permitted", "the token may not use front");
  });
  await assert.rejects(over.dispatch("exec_command", { cmd: "ls" }), { code: "not-permitted" });
});

test("write_stdin finds the environment that owns the session", async () => {
  const asked: string[] = [];
  await using over = await turnOver(({ environmentId, name }) => {
    asked.push(`${environmentId} ${name}`);
    return running(2_000);
  });
  await over.dispatch("exec_command", { cmd: "sh", environment_id: "back" });
  await over.dispatch("write_stdin", { session_id: 2_000 });
  await over.dispatch("write_stdin", { session_id: 3_000 });
  assert.deepEqual(asked, ["back exec_command", "back write_stdin", "front write_stdin"]);
});

test("ids of sessions elsewhere are reserved until they end", async () => {
  const reserved: unknown[] = [];
  await using over = await turnOver(({ name, args }) => {
    if (name === "write_stdin") return { ...RESULT, exit_code: 0 };
    reserved.push(args.reserved_session_ids);
    return running(2_000 + reserved.length);
  });
  await over.dispatch("exec_command", { cmd: "sh", environment_id: "back" });
  await over.dispatch("exec_command", { cmd: "sh", environment_id: "back" });
  await over.dispatch("exec_command", { cmd: "sh" });
  await over.dispatch("write_stdin", { session_id: 2_001 });
  await over.dispatch("exec_command", { cmd: "sh" });
  assert.deepEqual(reserved, [[], [], [2_001, 2_002], [2_002]]);
});

test("two environments that draw the same id at once are still told apart", async () => {
  const written: string[] = [];
  await using over = await turnOver(({ environmentId, name, args }) => {
    if (name === "exec_command") return running(5_000);
    written.push(`${environmentId} ${args.session_id} ${args.chars}`);
    if (args.chars === "gone") throw unknown(args);
    return running(5_000);
  });
  const [front, back] = await Promise.all(
    ["front", "back"].map(async (environment_id) => {
      const text = await over.dispatch("exec_command", { cmd: "sh", environment_id });
      return Number(/session ID (\d+)/.exec(text)?.[1]);
    }),
  );
  assert.notEqual(front, back);
  await over.dispatch("write_stdin", { session_id: front, chars: "f" });
  await over.dispatch("write_stdin", { session_id: back, chars: "b" });
  assert.deepEqual(written, ["front 5000 f", "back 5000 b"]);
  assert.equal(
    await over.dispatch("write_stdin", { session_id: back, chars: "gone" }),
    `write_stdin failed: Unknown process id ${back}`,
  );
});

test("a turn without environments is refused", () => {
  const outwork = new Outwork({ url: "http://127.0.0.1:9" });
  assert.throws(() => outwork.turn([]), { code: "validation-failed" });
});

test("patches are offered on request, and sent where the whole turn is known", async () => {
  await using service = await FakeService.open({});
  service.add("front");
  await using outwork = new Outwork({ url: service.url });
  const plain = outwork.turn(["front"]);
  assert.deepEqual(
    plain.tools.map(({ name }) => name),
    ["exec_command", "write_stdin"],
  );
  assert.equal(
    await plain.dispatch({ name: "apply_patch", input: "" }),
    "unsupported call: apply_patch (this turn has exec_command and write_stdin)",
  );
  const rules = (ids: string[]) => {
    const offered = outwork.turn(ids, { patches: true }).tools.at(-1);
    assert.ok(offered?.type === "custom" && offered.name === "apply_patch");
    return offered.format.definition;
  };
  assert.match(rules(["front"]), /^start: begin_patch hunk\+ end_patch\n/);
  assert.match(rules(["front", "back"]), /^start: begin_patch environment_id\? hunk\+ end_patch\n/);
});

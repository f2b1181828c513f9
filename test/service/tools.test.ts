import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ParamsOf } from "../../src/contract/agent.ts";
import type { ToolResult } from "../../src/contract/index.ts";
import { OutworkError } from "../../src/errors.ts";
import { openService } from "../support/service.ts";

const RESULT: ToolResult = {
  chunk_id: "a1b2c3",
  wall_time_seconds: 0.25,
  exit_code: 0,
  original_token_count: 1,
  output: "hi\n",
  policy: { preset: "read-only", files: { write: [], protected_names: [] }, network: "off" },
};
const headers = { "content-type": "application/json" };
const asText = { ...headers, accept: "text/plain" };
const EXEC = { method: "POST", url: "/v1/environments/a/exec_command" } as const;
const WRITE = { method: "POST", url: "/v1/environments/a/write_stdin" } as const;

test("a result is JSON, or the exact text that a model reads", async (t) => {
  const { send, launch } = await openService(t);
  (await launch("a")).answer("outwork/exec_command", () => RESULT);
  const payload = '{"cmd":"echo hi"}';
  const json = await send({ ...EXEC, headers, payload });
  const text = await send({ ...EXEC, headers: asText, payload });
  assert.deepEqual([json.status, json.body], [200, RESULT]);
  assert.equal(text.headers["content-type"], "text/plain; charset=utf-8");
  assert.equal(
    text.text,
    "Chunk ID: a1b2c3\nWall time: 0.2500 seconds\nProcess exited with code 0\n" +
      "Original token count: 1\nOutput:\nhi\n",
  );
});

test("the arguments reach the agent as the model wrote them, unknown members ignored", async (t) => {
  const { send, launch } = await openService(t);
  const agent = await launch("a");
  agent.answer("outwork/exec_command", () => RESULT);
  agent.answer("outwork/write_stdin", () => RESULT);
  const command = '{"cmd":"ls","tty":null,"made_up":{"by":["a","model"]},"yield_time_ms":500}';
  assert.equal((await send({ ...EXEC, headers, payload: command })).status, 200);
  const poll = '{"session_id":-7,"chars":""}';
  assert.equal((await send({ ...WRITE, headers, payload: poll })).status, 200);
  assert.deepEqual(agent.calls, [
    {
      method: "outwork/exec_command",
      params: { cmd: "ls", yield_time_ms: 500, policy: undefined },
    },
    { method: "outwork/write_stdin", params: { session_id: -7, chars: "" } },
  ]);
});

test("a request policy reaches the agent resolved", async (t) => {
  const { send, launch } = await openService(t);
  const agent = await launch("a");
  agent.answer("outwork/exec_command", () => RESULT);
  const payload = '{"cmd":"ls","policy":{"preset":"read-only"}}';
  await send({ ...EXEC, headers, payload });
  const sent = agent.calls.map(({ params }) => params as ParamsOf<"outwork/exec_command">);
  const policies = sent.map(({ policy }) => ({
    preset: policy?.preset,
    write: policy?.files.write,
  }));
  assert.deepEqual(policies, [{ preset: "read-only", write: [] }]);
});

describe("a tool call that fails", () => {
  const line = "failed to parse function arguments: missing field `cmd` at line 1 column 2";

  test("is a problem, or just its one line as text", async (t) => {
    const { send, launch } = await openService(t);
    await launch("a");
    const json = await send({ ...EXEC, headers, payload: "{}" });
    const text = await send({ ...EXEC, headers: asText, payload: "{}" });
    const { type, detail } = json.body;
    assert.deepEqual([json.status, type, detail], [422, "urn:outwork:tool-failed", line]);
    assert.deepEqual([text.status, text.text], [422, line]);
  });

  test("in the agent reads the same as one in the service", async (t) => {
    const { send, launch } = await openService(t);
    const failure = new OutworkError("tool-failed", "write_stdin failed: Unknown process id 7");
    (await launch("a")).answer("outwork/write_stdin", () => Promise.reject(failure));
    const { status, text } = await send({ ...WRITE, headers: asText, payload: '{"session_id":7}' });
    assert.deepEqual([status, text], [422, failure.message]);
  });

  test("because it names another environment says so", async (t) => {
    const { send, launch } = await openService(t);
    const agent = await launch("a");
    const payload = '{"cmd":"ls","environment_id":"b"}';
    const { status, text } = await send({ ...EXEC, headers: asText, payload });
    assert.deepEqual([status, text], [422, "unknown turn environment id `b`"]);
    assert.deepEqual(agent.calls, []);
  });

  test("for no reason of the tool's stays a problem, also for who asks for text", async (t) => {
    const { send } = await openService(t);
    const { status, body } = await send({ ...EXEC, headers: asText, payload: '{"cmd":"ls"}' });
    assert.deepEqual([status, body.type], [404, "urn:outwork:environment-not-found"]);
  });
});

describe("a command that only applies a patch", () => {
  const patch = "*** Begin Patch\n*** Environment ID: any\n*** Delete File: a\n*** End Patch";
  const args = { cmd: `cd sub && apply_patch <<X\n${patch}\nX`, workdir: "deep" };
  const payload = JSON.stringify(args);
  const text = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated …\n";
  const done = { text, exit_code: 0, changes: [], policy: RESULT.policy };
  const refused = { ...done, text: "apply_patch verification failed: …", exit_code: null };

  test("is not run but goes the way of apply_patch, whatever environment it names", async (t) => {
    const { send, launch } = await openService(t);
    const agent = await launch("a");
    agent.answer("outwork/apply_patch", () => done);
    const { status, body } = await send({ ...EXEC, headers, payload });
    const { chunk_id, ...result } = body;
    assert.match(String(chunk_id), /^[0-9a-f]{6}$/);
    assert.deepEqual(
      [status, result],
      [
        200,
        {
          wall_time_seconds: 0,
          exit_code: 0,
          original_token_count: 16,
          output: text,
          policy: RESULT.policy,
          applied_patch: done,
        },
      ],
    );
    const options = {
      atomic: false,
      dry_run: false,
      line_endings: "preserve",
      overwrite: true,
      compat: false,
    };
    const workdir = "/workspace/deep/sub";
    const asked = { patch, workdir, options, environment_line: "ignored", policy: undefined };
    assert.deepEqual(agent.calls, [{ method: "outwork/apply_patch", params: asked }]);
  });

  test("answers a model in the words it knows", async (t) => {
    const { send, launch } = await openService(t);
    const agent = await launch("a");
    agent.answer("outwork/apply_patch", () => done);
    const success = await send({ ...EXEC, headers: asText, payload });
    agent.answer("outwork/apply_patch", () => refused);
    const refusal = await send({ ...EXEC, headers: asText, payload });
    assert.deepEqual(
      [success.text, refusal.text],
      [`Wall time: 0.0000 seconds\nOutput:\n${text}`, refused.text],
    );
  });
});

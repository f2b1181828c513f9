import assert from "node:assert/strict";
import { test } from "node:test";
import { Outwork } from "../../src/client/index.ts";
import { FAKE_POLICY } from "../support/fake-process.ts";
import { FakeService, type ToolCall } from "../support/fake-service.ts";
import { agentLoop, type Item, type Model } from "./agent-loop.ts";

/** A model that says these things one after another, whatever it is told. */
function scripted(script: readonly Item[][]): Model {
  const left = [...script];
  return async () => left.shift() ?? [{ type: "message", content: "I am done." }];
}

function call(call_id: string, name: string, args: unknown): Item {
  return { type: "function_call", call_id, name, arguments: JSON.stringify(args) };
}

function result(environmentId: string, end: { exit_code: number } | { session_id: number }) {
  return {
    chunk_id: "abc123",
    wall_time_seconds: 0.5,
    original_token_count: 2,
    output: `from ${environmentId}\n`,
    policy: FAKE_POLICY,
    ...end,
  };
}

function outputs(items: readonly Item[]): Item[] {
  return items.filter((item) => item.type === "function_call_output");
}

function text(state: string, environmentId: string): string {
  const head = `Chunk ID: abc123\nWall time: 0.5000 seconds\n${state}\n`;
  return `${head}Original token count: 2\nOutput:\nfrom ${environmentId}\n`;
}

test("a model works in two environments until it calls no more tools", async () => {
  const calls: ToolCall[] = [];
  const onTool = (toolCall: ToolCall) => {
    calls.push(toolCall);
    const starts = toolCall.name === "exec_command" && toolCall.args.cmd === "serve";
    return result(toolCall.environmentId, starts ? { session_id: 4321 } : { exit_code: 0 });
  };
  await using service = await FakeService.open({ onTool });
  service.add("front");
  service.add("back");
  await using outwork = new Outwork({ url: service.url });
  const model = scripted([
    [
      call("c1", "exec_command", { cmd: "make" }),
      call("c2", "exec_command", { cmd: "serve", environment_id: "back" }),
    ],
    [call("c3", "write_stdin", { session_id: 4321, chars: "" })],
  ]);
  const items = await agentLoop(model, outwork.turn(["front", "back"]), "Build and serve it.");
  assert.deepEqual(outputs(items), [
    {
      type: "function_call_output",
      call_id: "c1",
      output: text("Process exited with code 0", "front"),
    },
    {
      type: "function_call_output",
      call_id: "c2",
      output: text("Process running with session ID 4321", "back"),
    },
    {
      type: "function_call_output",
      call_id: "c3",
      output: text("Process exited with code 0", "back"),
    },
  ]);
  assert.deepEqual(calls.map(({ environmentId, name }) => `${environmentId} ${name}`).sort(), [
    "back exec_command",
    "back write_stdin",
    "front exec_command",
  ]);
});

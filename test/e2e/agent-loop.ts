import type { Turn } from "../../src/client/index.ts";

/** One item of a conversation in the form of the Responses API. */
export type Item = Record<string, unknown> & { type?: string };
/** Asks a model to go on, given all items so far and the tools it may call. */
export type Model = (input: readonly Item[], tools: Turn["tools"]) => Promise<Item[]>;

/** Lets a model work in the environments of a turn until it calls no more tools. */
export async function agentLoop(model: Model, turn: Turn, task: string): Promise<Item[]> {
  const items: Item[] = [{ role: "user", content: task }];
  for (;;) {
    const output = await model(items, turn.tools);
    items.push(...output);
    const calls = output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return items;
    items.push(...(await Promise.all(calls.map((call) => answer(turn, call)))));
  }
}

async function answer(turn: Turn, { call_id, name, arguments: args }: Item): Promise<Item> {
  const output = await turn.dispatch({ name: String(name), arguments: String(args) });
  return { type: "function_call_output", call_id, output };
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { OutworkError } from "../../src/errors.ts";
import { forever } from "../support/fake-agent.ts";
import { runningProcess } from "../support/registry.ts";
import { openService } from "../support/service.ts";

const PROCESSES = "/v1/environments/a/processes";

test("a start answers 201 with the process, and the agent gets every member", async (t) => {
  const { send, launch } = await openService(t);
  const agent = await launch("a");
  const process = runningProcess("p");
  agent.answer("outwork/process/start", () => process);
  const payload = { process_id: "p", argv: ["sleep", "10"], stdin: "pipe", timeout_ms: 5 };
  const { status, body } = await send({ method: "POST", url: PROCESSES, payload });
  assert.deepEqual([status, body], [201, process]);
  assert.deepEqual(agent.calls[0]?.params, {
    ...payload,
    retained_bytes: 1_048_576,
    back_pressure: "none",
    policy: undefined,
  });
});

test("EX-15: listing finds every process again with argv, start, state and counts", async (t) => {
  const { send, launch } = await openService(t);
  const agent = await launch("a");
  agent.processes.push(...["1", "2", "3", "4", "5"].map((id) => runningProcess(id)));
  const { body } = await send({ method: "GET", url: PROCESSES });
  assert.deepEqual(body, { processes: agent.processes });
});

test("acting on a process passes what was asked and answers what came of it", async (t) => {
  const { send, launch } = await openService(t);
  const agent = await launch("a");
  agent.answer("outwork/process/get", () => runningProcess("p:1"));
  agent.answer("outwork/process/stdin", () => ({ status: "accepted" }));
  for (const verb of ["signal", "terminate", "resize"] as const) {
    agent.answer(`outwork/process/${verb}`, () => ({ delivered: true }));
  }
  const act = async (verb: string, payload?: object) => {
    const url = `${PROCESSES}/p%3A1/${verb}`;
    const { status, body } = await send({ method: "POST", url, ...(payload && { payload }) });
    assert.equal(status, 200);
    return body;
  };
  const stdin = { write_id: "w1", chunk: "aGk=", end: true };
  assert.deepEqual(await act("stdin", stdin), { status: "accepted" });
  assert.deepEqual(await act("signal", { signal: "SIGINT" }), { delivered: true });
  assert.deepEqual(await act("terminate"), { delivered: true });
  assert.deepEqual(await act("resize", { rows: 2, cols: 3 }), { delivered: true });
  assert.equal((await send({ method: "GET", url: `${PROCESSES}/p%3A1` })).body.process_id, "p:1");
  assert.deepEqual(agent.calls, [
    { method: "outwork/process/stdin", params: { process_id: "p:1", ...stdin } },
    { method: "outwork/process/signal", params: { process_id: "p:1", signal: "SIGINT" } },
    { method: "outwork/process/terminate", params: { process_id: "p:1", grace_ms: 2_000 } },
    { method: "outwork/process/resize", params: { process_id: "p:1", size: { rows: 2, cols: 3 } } },
    { method: "outwork/process/get", params: { process_id: "p:1" } },
  ]);
});

test("OU-14: the agent's own refusal, totals and all, reaches the caller", async (t) => {
  const { send, launch } = await openService(t);
  const refusal = new OutworkError("process-gone", "The record of p has expired.", {
    facts: { process_id: "p", total_bytes: 5 },
  });
  (await launch("a")).answer("outwork/process/get", () => Promise.reject(refusal));
  const { status, body } = await send({ method: "GET", url: `${PROCESSES}/p` });
  const { type, detail, process_id, total_bytes } = body;
  assert.deepEqual(
    [status, type, detail, process_id, total_bytes],
    [410, "urn:outwork:process-gone", refusal.message, "p", 5],
  );
});

test("EX-09: a call that hangs blocks neither listing nor terminating", async (t) => {
  const { app, send, launch } = await openService(t, { graceMs: 0 });
  const agent = await launch("a");
  agent.answer("outwork/exec_command", (_, { signal }) => forever(signal));
  agent.answer("outwork/process/terminate", () => ({ delivered: true }));
  const headers = { "content-type": "application/json" };
  const url = "/v1/environments/a/exec_command";
  const hanging = send({ method: "POST", url, headers, payload: '{"cmd":"cat"}' });
  assert.equal((await send({ method: "GET", url: PROCESSES })).status, 200);
  const terminate = { method: "POST", url: `${PROCESSES}/p/terminate` } as const;
  assert.equal((await send(terminate)).status, 200);
  await app.close();
  assert.equal((await hanging).status, 504);
});

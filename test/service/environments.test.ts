import assert from "node:assert/strict";
import { test } from "node:test";
import { forever } from "../support/fake-agent.ts";
import { runningProcess } from "../support/registry.ts";
import { openService } from "../support/service.ts";

const ENVIRONMENTS = "/v1/environments";

test("creating answers 201, and 200 for the same again", async (t) => {
  const { send } = await openService(t);
  const payload = { id: "a", labels: { team: "x" }, variables: { SECRET: "s" } };
  const first = await send({ method: "POST", url: ENVIRONMENTS, payload });
  const again = await send({ method: "POST", url: ENVIRONMENTS, payload });
  assert.deepEqual([first.status, again.status], [201, 200]);
  assert.deepEqual(first.body, again.body);
  const { created_at, policy, ...shown } = first.body;
  assert.ok(created_at && policy);
  assert.deepEqual(shown, {
    id: "a",
    placement: "embedded",
    image: null,
    state: { kind: "ready" },
    workspace: "/workspace",
    variable_names: ["SECRET"],
    limits: {},
    labels: { team: "x" },
    expires_at: null,
    idle_timeout_ms: null,
    process_count: 0,
  });
});

test("an empty POST creates an environment with every default", async (t) => {
  const { send } = await openService(t);
  const { status, headers, body } = await send({ method: "POST", url: ENVIRONMENTS });
  const id = String(body.id);
  assert.equal(status, 201);
  assert.match(id, /^env_[a-z0-9]{16}$/);
  assert.equal(headers.location, `/v1/environments/${id}`);
});

test("so does an empty body that says it is JSON", async (t) => {
  const { send } = await openService(t);
  const headers = { "content-type": "application/json" };
  assert.equal((await send({ method: "POST", url: ENVIRONMENTS, headers })).status, 201);
});

test("another spec under the same id is a conflict", async (t) => {
  const { send, launch } = await openService(t);
  await launch("a");
  const payload = { id: "a", workspace: "/other" };
  const { status, body } = await send({ method: "POST", url: ENVIRONMENTS, payload });
  const { type, differs } = body;
  assert.deepEqual(
    { status, type, differs },
    { status: 409, type: "urn:outwork:environment-conflict", differs: ["policy", "workspace"] },
  );
});

test("listing and showing count live processes", async (t) => {
  const { send, launch } = await openService(t);
  const agent = await launch("a");
  agent.processes.push(runningProcess("p"));
  const shown = await send({ method: "GET", url: `${ENVIRONMENTS}/a` });
  const listed = await send({ method: "GET", url: ENVIRONMENTS });
  assert.equal(shown.body.process_count, 1);
  assert.deepEqual(listed.body, { environments: [shown.body] });
});

test("removing answers 204, also for one that has gone, and 404 for an id never seen", async (t) => {
  const { send, launch } = await openService(t);
  await launch("a");
  const remove = (id: string) => send({ method: "DELETE", url: `${ENVIRONMENTS}/${id}` });
  const statuses = [
    (await remove("a")).status,
    (await remove("a")).status,
    (await remove("b")).status,
  ];
  assert.deepEqual(statuses, [204, 204, 404]);
});

test("LC-04: a removed environment answers 410 with cause and time", async (t) => {
  const { send, launch } = await openService(t);
  await launch("a");
  await send({ method: "DELETE", url: `${ENVIRONMENTS}/a` });
  const { status, body } = await send({ method: "GET", url: `${ENVIRONMENTS}/a` });
  const { type, reason, at, detail } = body;
  assert.deepEqual(
    { status, type, reason },
    {
      status: 410,
      type: "urn:outwork:environment-gone",
      reason: "removed",
    },
  );
  assert.match(String(at), /^\d{4}-.*Z$/);
  assert.match(String(detail), /removed/);
});

test("LC-07: a name is free at once after DELETE, and processes of the old one are not there", async (t) => {
  const { send, launch } = await openService(t);
  for (let round = 0; round < 50; round += 1) {
    const agent = await launch("a");
    assert.equal(agent.processes.length, 0);
    agent.processes.push(runningProcess("p"));
    assert.equal((await send({ method: "DELETE", url: `${ENVIRONMENTS}/a` })).status, 204);
  }
});

test("a lost environment stays listed and refuses calls with the reason", async (t) => {
  const { send, launch, substrate } = await openService(t);
  await launch("a");
  substrate.get("a").lose("container-removed");
  const call = await send({ method: "GET", url: `${ENVIRONMENTS}/a/processes` });
  const shown = await send({ method: "GET", url: `${ENVIRONMENTS}/a` });
  const { state } = shown.body as { state: { kind: string; reason: string; at: string } };
  const { reason, at } = call.body;
  assert.deepEqual([call.status, reason, at], [410, "container-removed", state.at]);
  assert.deepEqual([shown.status, state.kind, state.reason], [200, "lost", "container-removed"]);
});

test("a launch in flight when the service stops is undone, and its outcome not guessed", async (t) => {
  const { app, substrate, send } = await openService(t, { graceMs: 0 });
  const begun = new Promise<void>((resolve) => {
    substrate.beforeLaunch = (signal) => {
      resolve();
      return forever(signal);
    };
  });
  const creating = send({ method: "POST", url: ENVIRONMENTS });
  await begun;
  await app.close();
  const { status, body } = await creating;
  assert.deepEqual([status, body.type], [504, "urn:outwork:deadline-exceeded"]);
  assert.equal(substrate.environments.size, 0);
});

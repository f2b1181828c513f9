import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Claim,
  handleClaim,
  pathClaim,
  processClaim,
} from "../../../../src/exec-server/connection/claims.ts";
import { Order } from "../../../../src/exec-server/connection/order.ts";
import { parsePathUri } from "../../../../src/exec-server/path-uri.ts";

/** Enters all at once; the names of those that may go, after each one leaves in turn. */
async function run(requests: Record<string, Claim[]>): Promise<string[]> {
  const order = new Order();
  const went: string[] = [];
  const turns = Object.entries(requests).map(([name, claims]) => ({
    name,
    turn: order.enter(claims),
  }));
  await Promise.all(
    turns.map(async ({ name, turn }) => {
      await turn.ready;
      went.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      went.push(`/${name}`);
      turn.leave();
    }),
  );
  return went;
}

/** Whether those came in that order; others may have come between. */
function assertOrder(went: readonly string[], ...expected: string[]): void {
  assert.deepEqual(
    went.filter((name) => expected.includes(name)),
    expected,
  );
}

const at = (uri: string, use: Claim["use"]) => pathClaim(parsePathUri(uri), use);

test("requests of one process go one after the other, others side by side", async () => {
  const went = await run({
    a: [processClaim("p", "change")],
    b: [processClaim("p", "change")],
    c: [processClaim("q", "change")],
    d: [handleClaim("p", "change")],
  });
  assert.deepEqual(went.slice(0, 3), ["a", "c", "d"]);
  assertOrder(went, "/a", "b", "/b");
});

test("looks go together, and a change waits for them and holds up those after it", async () => {
  const went = await run({
    a: [at("file:///x", "look")],
    b: [at("file:///x", "look")],
    c: [at("file:///x", "change")],
    d: [at("file:///x", "look")],
  });
  assert.deepEqual(went, ["a", "b", "/a", "/b", "c", "/c", "d", "/d"]);
});

test("a path inside the other is the same path; a longer name is not", async () => {
  const went = await run({
    parent: [at("file:///x", "change")],
    child: [at("file:///x/y/z", "look")],
    sibling: [at("file:///xy", "change")],
    root: [at("file:///", "change")],
  });
  assert.deepEqual(went.slice(0, 2), ["parent", "sibling"]);
  assertOrder(went, "/parent", "child", "/child", "root");
  assertOrder(went, "/sibling", "root");
});

test("what claims nothing waits for nothing", () => {
  const order = new Order();
  order.enter([processClaim("p", "change")]);
  assert.equal(order.enter([]).ready, null);
  assert.equal(order.enter([processClaim("q", "look")]).ready, null);
});
